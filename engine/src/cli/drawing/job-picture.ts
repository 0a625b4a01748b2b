// One job, fact by fact.
import type { wire } from "@millrace/sdk"
import { statusStyle } from "./status-styles.ts"
import { type Canvas, facts } from "./table.ts"
import { moment, relative } from "./times.ts"
import { waitsOf } from "./waits-picture.ts"

/** A job, with why it has not ended, or how to come to its dead letter. */
export type ShownJob = wire.StandaloneJob & {
  readonly waiting?: readonly wire.WaitingReason[]
  readonly deadLetter?: string
}

export function drawJob(job: ShownJob, canvas: Canvas): readonly string[] {
  const when = (at: string) => `${moment(at)} (${relative(at, Date.now())})`
  return facts(
    [
      ["Job", job.id],
      ["Status", job.status, statusStyle(job.status)],
      ["Type", job.type],
      ["Key", job.key],
      ["Priority", job.priority],
      ["Due", job.due_at === undefined ? undefined : when(job.due_at)],
      ...waitsOf(job.waiting, canvas),
      ["Worker", job.worker_id],
      ["Retries", String(job.retry_count)],
      ["Error", job.error],
      ["Dead letter", job.deadLetter],
      ["Payload", job.payload],
      ["Result", job.result],
      ["Created", when(job.created_at)],
      ["Updated", when(job.updated_at)],
      ["Replay of", job.replay_of],
    ],
    canvas,
  )
}
