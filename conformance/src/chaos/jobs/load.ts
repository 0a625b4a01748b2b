// The load on the queue in one process: its clients, its operators, and what the lives before it have left unanswered.
import type { Line } from "../journal.ts"
import { operateQueue, replayAgain } from "./operate.ts"
import { type LoadMeans, resubmitJobs, submitJobs } from "./submit-jobs.ts"

/** `before` are the lines of the lives before this one. Ends when it has drained. */
export async function loadQueue(means: LoadMeans, before: readonly Line[]): Promise<void> {
  await Promise.all([resubmitJobs(means, before), replayAgain(means, before), submitJobs(means), operateQueue(means)])
}
