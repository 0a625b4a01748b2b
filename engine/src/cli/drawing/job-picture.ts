// One job, fact by fact.
import { cellText, wrap } from "./cell-text.ts"
import type { Style } from "./paint.ts"
import { type Canvas, type Fact, facts } from "./table.ts"
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
  /** Why it has not ended; asked for beside it. */
  readonly waiting?: readonly WaitingAnswer[]
}

export interface WaitingAnswer {
  readonly kind: string
  readonly detail: { readonly message: string }
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
      ...waits(job, canvas),
      ["Worker", job.worker_id],
      ["Retries", String(job.retry_count)],
      ["Error", job.error],
      ["Dead letter", job.status === "FAILED" ? `millrace dlq show ${job.id}` : undefined],
      ["Payload", job.payload],
      ["Result", job.result],
      ["Created", when(job.created_at)],
      ["Updated", when(job.updated_at)],
      ["Replay of", job.replay_of],
    ],
    canvas,
  )
}

/** Beside the names of the facts. */
const NAMES_WIDTH = 13

/** In whole: what to do about it often stands at the end. */
const waits = ({ waiting = [] }: JobAnswer, { width = Number.POSITIVE_INFINITY }: Canvas): readonly Fact[] =>
  waiting
    .flatMap(({ detail }) => wrap(cellText(detail.message), Math.max(20, width - NAMES_WIDTH)))
    .map((line, at) => [at === 0 ? "Waits" : "", line])
