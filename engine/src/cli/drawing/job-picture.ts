// One job, fact by fact.
import type { wire } from "@millrace/sdk"
import type { Style } from "./paint.ts"
import { type Canvas, facts } from "./table.ts"
import { moment, relative } from "./times.ts"
import { waitsOf } from "./waits-picture.ts"

/** A job, with why it has not ended. */
export type ShownJob = wire.StandaloneJob & { readonly waiting?: readonly wire.WaitingReason[] }

const STYLES: Readonly<Record<string, Style>> = {
  COMPLETED: "green",
  FAILED: "red",
  RUNNING: "cyan",
  CANCELLED: "yellow",
}

export function drawJob(job: ShownJob, canvas: Canvas): readonly string[] {
  const when = (at: string) => `${moment(at)} (${relative(at, Date.now())})`
  return facts(
    [
      ["Job", job.id],
      ["Status", job.status, STYLES[job.status]],
      ["Type", job.type],
      ["Priority", job.priority],
      ["Due", job.due_at === undefined ? undefined : when(job.due_at)],
      ...waitsOf(job.waiting, canvas),
      ["Worker", job.worker_id],
      ["Retries", String(job.retry_count)],
      ["Error", job.error],
      ["Dead letter", job.status === "FAILED" ? `millrace dead-letters show ${job.id}` : undefined],
      ["Payload", job.payload],
      ["Result", job.result],
      ["Created", when(job.created_at)],
      ["Updated", when(job.updated_at)],
      ["Replay of", job.replay_of],
    ],
    canvas,
  )
}
