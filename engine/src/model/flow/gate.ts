// A gate of admission has two watermarks, so that a depth that wavers around one of them does not turn it again and again.
import type { Priority } from "../definitions/definition.ts"

export type GateName = Priority | "total"

export interface Watermarks {
  readonly high: number
  readonly low: number
}

/** Whether it is shut from now on: it shuts at the high mark, opens below the low one, and in between stays as it is. */
export const turnGate = (isShut: boolean, depth: number, { high, low }: Watermarks): boolean =>
  // Half of a pair may come from the configuration: with the low mark above the high one the two rules would contradict each other.
  isShut ? depth >= Math.min(low, high) : depth >= high
