// One job, fact by fact.
import type { Style } from "./paint.ts"
import { type Canvas, facts } from "./table.ts"
import { moment, relative } from "./times.ts"

export interface JobAnswer {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly priority: string
  readonly payload?: unknown
  readonly result?: unknown
  readonly retry_count: number
  readonly error?: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly due_at?: string
  readonly worker_id?: string
  readonly replay_of?: string
}

const STYLES: Readonly<Record<string, Style>> = {
  COMPLETED: "green",
  FAILED: "red",
  RUNNING: "cyan",
  CANCELLED: "yellow",
}

export function drawJob(job: JobAnswer, canvas: Canvas): readonly string[] {
  const when = (at: string) => `${moment(at)} (${relative(at, Date.now())})`
  return facts(
    [
      ["Job", job.id],
      ["Status", job.status, STYLES[job.status]],
      ["Type", job.type],
      ["Priority", job.priority],
      ["Due", job.due_at === undefined ? undefined : when(job.due_at)],
      ["Worker", job.worker_id],
      ["Retries", String(job.retry_count)],
      ["Error", job.error],
      ["Payload", job.payload],
      ["Result", job.result],
      ["Created", when(job.created_at)],
      ["Updated", when(job.updated_at)],
      ["Replay of", job.replay_of],
    ],
    canvas,
  )
}
