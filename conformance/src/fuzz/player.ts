// What plays requests on a wire, and what is known of a request that was played.
import type { Dice } from "./values/dice.ts"
import type { Memory } from "./values/memory.ts"

export interface Turn {
  readonly dice: Dice
  readonly memory: Memory
  /** The address that the proxy tells. */
  readonly from: string
  /** The number of the request in its episode. */
  readonly at: number
}

export interface Played {
  readonly operation: string
  readonly status: string
  readonly isValid: boolean
  readonly isSuccess: boolean
  readonly faults: readonly string[]
  /** The request and the answer, for people. */
  told(): string
}

export interface Player {
  /** How many operations there are. */
  readonly size: number
  play(turn: Turn): Promise<Played>
  close(): void
}
