// The end of a message that no attempt could handle: a dead letter, and an event that tells of it where the consumer asks for one.
import type { Transaction } from "../../../db/transaction.ts"
import { deadEvent } from "../../../model/events/dead-message.ts"
import { readRetried } from "../../../model/events/retried-message.ts"
import type { DeadReason } from "../../../model/jobs/after-attempt.ts"
import type { JsonObject } from "../../../support/json.ts"
import { newDeadLetter } from "../../dead-letters/new-dead-letter.ts"
import { writeEnds } from "../../jobs/end/write-ends.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { appendEvents } from "../append-events.ts"
import type { Consumer } from "./consumer.ts"

export interface DeadMessage {
  readonly consumer: Consumer
  /** The message in the form that dead letters keep. */
  readonly payload: string | null
  readonly error: string
}

/** A job that was made in the same transaction is dead before a worker could see it: its replay is an attempt like any other. */
export function buryJob(
  kernel: Kernel,
  tx: Transaction,
  { jobId, reason, error }: { jobId: string; reason: DeadReason; error: string },
): void {
  const dead = newDeadLetter(kernel, { reason, error })
  const ended = { id: jobId, status: "FAILED", verb: null, error, dead, endedAt: kernel.clock.nowMs() } as const
  writeEnds(kernel, tx, { standalone: [ended] })
  tx.afterCommit(() => kernel.metrics.jobsProcessed.inc({ status: "dead" }))
}

/**
 * It is never refused: the consumer would stand still before this message, and where it reads from this very outbox, a full one would stay
 * full.
 */
export function publishDead(
  kernel: Kernel,
  tx: Transaction,
  { consumer: { deadType, group }, payload, error }: DeadMessage,
): void {
  const message = readRetried(JSON.parse(payload ?? "{}") as JsonObject)?.message
  if (deadType === undefined || !message) return
  const told = deadEvent(message, { group, error }, kernel.settings)
  appendEvents(kernel, tx, [{ id: kernel.newId(), type: deadType, headers: "{}", ...told }])
}
