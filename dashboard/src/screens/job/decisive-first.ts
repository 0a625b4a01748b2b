// The reasons why a job waits, so that the one which decides comes first, and its sentence before the others.
import type { JobWaitingReason } from "../../api/jobs.ts"
import { readable } from "./readable.ts"

export const decisiveFirst = (reasons: readonly JobWaitingReason[]): readonly JobWaitingReason[] =>
  [...reasons].sort((a, b) => rankOf(a) - rankOf(b))

/** Nothing helps while it is paused or no worker polls; its place in the queue counts only after that. */
function rankOf(reason: JobWaitingReason): number {
  if (reason.kind === "paused") return 0
  if (isUnpolled(reason)) return 1
  return reason.kind === "job-queued" ? 3 : 2
}

export const isUnpolled = ({ kind, detail }: JobWaitingReason): boolean =>
  kind === "job-queued" && detail.lastPolledAt === undefined

/** The engine tells the place in the queue first, then who polls. */
export function sentencesOf(reason: JobWaitingReason): readonly string[] {
  const sentences = String(reason.detail.message ?? reason.kind)
    .split("; ")
    .map(readable)
  return isUnpolled(reason) ? sentences.reverse() : sentences
}
