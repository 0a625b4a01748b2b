// What the load asks of an engine, by whichever door: within the process, or over REST.
import type { JobOrder, Lane } from "./order.ts"

/** `unknown`: it may have happened or not, unless it was never sent. `full`: a gate is shut. `no`: the state of things does not allow it. */
export type Answer<T = undefined> =
  | { readonly is: "ok"; readonly value: T }
  | { readonly is: "full" | "no" }
  | { readonly is: "unknown"; readonly isUnsent?: boolean }

export interface Letter {
  readonly id: string
  readonly job: string
}

export type Shares = Readonly<Record<Lane, number>>

/** Throws what no caller should ever meet. */
export interface JobDoor {
  /** The id of the job. */
  enqueue(order: JobOrder): Promise<Answer<string>>
  cancel(id: string): Promise<Answer>
  /** Dead letters of standalone jobs. */
  letters(): Promise<Answer<readonly Letter[]>>
  /** The id of the new job. */
  replay(letter: string, key: string): Promise<Answer<string>>
  replayAll(type: string, key: string): Promise<Answer>
  setWeights(shares: Shares): Promise<Answer>
  pause(lane: Lane): Promise<Answer>
  resume(lane: Lane): Promise<Answer>
}
