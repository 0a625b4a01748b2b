// The systems that the steps call, as far as they matter here: they take their time, and some slides have trouble with them.
import { setTimeout as sleep } from "node:timers/promises"
import type { JobCall } from "millrace"
import type { StepName } from "./analysis.ts"

export interface Slide {
  readonly slide: string
  readonly file: string
  /** The hospital that keeps the annotations. */
  readonly site: string
  /** How often a step fails before it goes well. */
  readonly trouble?: Readonly<Partial<Record<StepName, number>>>
}

/** Sites whose line is down. */
export const unreachable = new Set<string>()

/** How often each step of each slide was done to its end: more than once must not be. */
export const done = new Map<string, number>()
export const count = { attempts: 0 }

const CALL_MS = 20

/** One call to a system: fails where the slide says so. */
export async function call(step: StepName, { payload, attempt, key }: JobCall<Slide>, trouble: string): Promise<void> {
  count.attempts += 1
  await sleep(CALL_MS)
  if (attempt <= (payload.trouble?.[step] ?? 0)) throw new Error(trouble)
  done.set(key, (done.get(key) ?? 0) + 1)
}
