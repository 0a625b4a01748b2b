// Of a step on record: the later step that the list went to, because this one is a wait that was not answered in time.
import type { RunStepStatus } from "./plan.ts"

interface OnRecord {
  readonly status: RunStepStatus
  readonly value: unknown
}

/** Undefined where the list went on as it is written. A payload that looks like a way is a payload: its wait has not failed. */
export function wentTo({ status, value }: OnRecord): string | undefined {
  if (status !== "FAILED") return undefined
  const { goTo } = (value ?? {}) as { readonly goTo?: unknown }
  return typeof goTo === "string" ? goTo : undefined
}
