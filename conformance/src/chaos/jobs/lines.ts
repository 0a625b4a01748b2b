// What is written down about standalone jobs while they run: each request, each answer, each report, and the most that was ever leased.
import type { JobOrder } from "./order.ts"

/** A request without an answer of its own is unknown: the process died, or the answer was lost. */
export type JobLine =
  | { readonly op: "enqueue"; readonly ref: string; readonly order: JobOrder }
  | { readonly op: "accepted"; readonly ref: string; readonly id: string }
  /** By a gate that is shut: nothing may be left of it. */
  | { readonly op: "refused"; readonly ref: string }
  | { readonly op: "cancel"; readonly id: string }
  | { readonly op: "cancelled"; readonly id: string }
  /** `job` is the one that died. */
  | { readonly op: "replay"; readonly key: string; readonly letter: string; readonly job: string }
  | { readonly op: "replayed"; readonly key: string; readonly job: string; readonly id: string }
  /** Another operator was first. */
  | { readonly op: "replay-refused"; readonly key: string }
  | {
      readonly op: "report"
      readonly id: string
      readonly attempt: number
      readonly verb: Verb
      readonly verdict: string
    }
  | { readonly op: "peak"; readonly kind: PeakKind; readonly name: string; readonly leased: number }

export type Verb = "complete" | "fail" | "park"
export type PeakKind = "limit" | "downstream"

export const ofOp = <Op extends JobLine["op"]>(lines: readonly { readonly op: string }[], op: Op) =>
  lines.filter((line): line is Extract<JobLine, { op: Op }> => line.op === op)
