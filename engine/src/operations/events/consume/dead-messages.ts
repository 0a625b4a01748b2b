// The end of a message that no attempt could handle: a dead letter, and an event that tells of it where the consumer asks for one.
import type { Transaction } from "../../../db/transaction.ts"
import type { Message } from "../../../model/events/message.ts"
import { readRetried } from "../../../model/events/retried-message.ts"
import type { DeadReason } from "../../../model/jobs/after-attempt.ts"
import { EngineError } from "../../../support/errors.ts"
import type { JsonObject } from "../../../support/json.ts"
import { newDeadLetter } from "../../dead-letters/new-dead-letter.ts"
import { writeEnds } from "../../jobs/end/write-ends.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { publishEvent } from "../publish-event.ts"
import type { Consumer } from "./consumer.ts"

export interface DeadMessage {
  readonly consumer: Consumer
  /** As it is in the dead letters. */
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
  writeEnds(kernel, tx, { attempts: [], requeued: [], standalone: [ended] })
  tx.afterCommit(() => kernel.metrics.jobsProcessed.inc({ status: "dead" }))
}

export async function publishDead(
  kernel: Kernel,
  tx: Transaction,
  { consumer: { deadType, group }, payload, error }: DeadMessage,
): Promise<void> {
  const message = readRetried(JSON.parse(payload ?? "{}") as JsonObject)?.message
  if (deadType === undefined || !message) return
  const publish = (told: JsonObject) =>
    publishEvent(kernel, { type: deadType, payload: told, key: message.key ?? undefined }, tx)
  const told = { group, error, event: tell(message) }
  await publish({ ...told, ...message.content }).catch((reason: unknown) => {
    // Its topic takes larger messages than an event may be: the dead letter has all of it.
    if (!(reason instanceof EngineError) || reason.code !== "payload-too-large") throw reason
    return publish(told)
  })
}

const tell = ({ id, type, key, headers, createdAt, at }: Message): JsonObject => ({
  id,
  type,
  key,
  headers: { ...headers },
  createdAt: new Date(createdAt).toISOString(),
  ...(at === undefined ? {} : { at }),
})
