// Which instances are asked for, as the address of their list has it.
import type { wire } from "@millrace/sdk"
import { boundsOf } from "./time-range.ts"

/** The filter in the address of the page, where every value is text. */
export interface InstanceFilter extends Omit<wire.InstanceFilter, "version"> {
  readonly version?: string
  /** A range that moves with the clock; absent where one of the moments is set. */
  readonly started?: string
}

/** The same filter with moments in the place of a range: what is counted and what is changed are then of one time. */
export function atThisMoment({ started, ...rest }: InstanceFilter): InstanceFilter {
  if (started === undefined) return rest
  const { after: startedAfter, before: startedBefore } = boundsOf(started, Date.now())
  return { ...rest, startedAfter, startedBefore }
}
