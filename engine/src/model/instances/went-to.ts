// The later step that a list went to from a recorded wait, because the wait was not answered in time.
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
