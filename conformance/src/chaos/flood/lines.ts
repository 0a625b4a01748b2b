// What the flood writes down outside of the database: each range of jobs that was asked for, and each batch of work, in order.

/** A job in a worker's hand: its number, its id, and the token of its lease. */
export type Held = readonly [n: number, id: string, token: string]

/** `at` is always before what was sent, and after what was received. */
export type FloodLine =
  /** Jobs from `from` on, under a key that holds for all of them: on the disk before they are sent. */
  | { readonly op: "asks"; readonly from: number; readonly count: number }
  | { readonly op: "sends"; readonly from: number; readonly at: number }
  /** The request was not sent: no process listened on the port. */
  | { readonly op: "unsent"; readonly from: number }
  /** No answer: they may be there, all of them or some. */
  | { readonly op: "unheard"; readonly from: number }
  /** A gate is shut, and some may be there. */
  | { readonly op: "full"; readonly from: number }
  | { readonly op: "acked"; readonly from: number; readonly at: number; readonly ids: readonly string[] }
  /** A worker's life begins, and these batches of the lives before it have no verdict yet. It reports them as batches 1, 2, 3 … */
  | { readonly op: "begun"; readonly owed: readonly (readonly Held[])[] }
  /** Claimed between `askedAt` and `at`, leased until `until`, and worked on. */
  | {
      readonly op: "done"
      readonly batch: number
      readonly askedAt: number
      readonly at: number
      readonly until: number
      readonly jobs: readonly Held[]
    }
  /** The answer counts as lost until it arrives, unless no process listened. */
  | { readonly op: "reports"; readonly batch: number; readonly at: number }
  | { readonly op: "unreported"; readonly batch: number }
  /** The first letter of each job's verdict: accepted, stale or unknown. */
  | { readonly op: "told"; readonly batch: number; readonly at: number; readonly verdicts: string }
