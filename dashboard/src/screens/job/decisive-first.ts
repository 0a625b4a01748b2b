// The reasons why a job waits, so that the one which decides comes first.
import type { JobWaitingReason } from "../../api/jobs.ts"

export const decisiveFirst = (reasons: readonly JobWaitingReason[]): readonly JobWaitingReason[] =>
  [...reasons].sort((a, b) => rankOf(a) - rankOf(b))

/** Nothing helps while it is paused or no worker polls; its place in the queue counts only after that. */
function rankOf({ kind, detail }: JobWaitingReason): number {
  if (kind === "paused") return 0
  if (kind !== "job-queued") return 2
  return detail.lastPolledAt === undefined ? 1 : 3
}
