// Which dead letters are asked for.
import type { wire } from "@millrace/sdk"
import { boundsOf } from "./time-range.ts"

export interface DeadLetterFilter extends wire.DeadLetterFilter {
  /** A range that moves with the clock; absent where one of the moments is set. */
  readonly died?: string | undefined
}

export type DeadRange = Pick<DeadLetterFilter, "died" | "since" | "before">

/** The same filter with moments in the place of a range: what is counted and what is changed are then of one time. */
export function atThisMoment({ died, ...rest }: DeadLetterFilter): wire.DeadLetterFilter {
  if (died === undefined) return rest
  const { after: since, before } = boundsOf(died, Date.now())
  return { ...rest, since, before }
}
