// Takes a message once: the mark, what its handler writes and what it publishes are one transaction, and the source moves on after it.
//
// | it dies                                      | what happens                                                             |
// | before the commit                            | nothing of it is there: the message is delivered again                   |
// | after the commit, before the source moves on | it is delivered again, its mark is found, and it is skipped              |
// | while another holder has it                  | the mark of the other is waited for, and then it is skipped or handled   |
// | after the handler has failed                 | it is delivered again, or the mark and its job are committed together    |
import { isContention } from "../../../db/errors.ts"
import type { Transaction } from "../../../db/transaction.ts"
import type { Message } from "../../../model/events/message.ts"
import { planRetry } from "../../../model/events/retried-message.ts"
import type { DeadReason } from "../../../model/jobs/after-attempt.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { EngineError } from "../../../support/errors.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { Consumer, Failure, Unit } from "./consumer.ts"
import { buryJob, publishDead } from "./dead-messages.ts"
import { closeLane, enqueueMessage, type Mark, markMessage } from "./lanes.ts"

/** processed: its handler's work is committed. failed: it is a job now. dead: it is a dead letter. */
export type Taken = "processed" | "failed" | "dead" | Exclude<Mark, "new">

interface Given {
  readonly message: Message
  /** Aborted when the message is taken away. */
  readonly signal: AbortSignal
}

/** Rejects when nothing is known to be committed: the message has to be delivered again. */
export async function takeMessage<Own extends Unit>(
  kernel: Kernel,
  consumer: Consumer<Own>,
  given: Given,
): Promise<Taken> {
  const taken = await whenFree(given.signal, () => takeOnce(kernel, consumer, given))
  kernel.metrics.eventsConsumed.inc({ consumer_group: consumer.group, outcome: taken })
  return taken
}

async function takeOnce<Own extends Unit>(
  kernel: Kernel,
  consumer: Consumer<Own>,
  { message, signal }: Given,
): Promise<Taken> {
  if ("fault" in message.content) return takeUnreadable(kernel, consumer, { message, fault: message.content.fault })
  let isMarked = false
  try {
    return await consumer.transaction(async (unit) => {
      const mark = await unit.within((tx) => markMessage(tx, consumer, message))
      if (mark !== "new") return mark
      isMarked = true
      await consumer.handle(unit, { message, attempt: 1, signal })
      return "processed"
    })
  } catch (error) {
    if (!isMarked || signal.aborted) throw error
    kernel.log.warn({ err: error, consumer: consumer.name, eventId: message.id }, "the handler of an event has failed")
    return failMessage(kernel, consumer, { message, failure: consumer.judge(error) })
  }
}

interface FailedMessage {
  readonly message: Message
  readonly failure: Failure
}

/** If the handler's transaction was committed after all, its mark is found here. */
export const failMessage = (kernel: Kernel, consumer: Consumer, { message, failure }: FailedMessage): Promise<Taken> =>
  settle(kernel, { consumer, message }, async (tx) => {
    const plan = failure.retryable ? planRetry(consumer.retry, 1, kernel.random) : undefined
    if (!plan) {
      await bury(kernel, tx, { consumer, message, failure, tried: 1 })
      return "dead"
    }
    const delayMs = failure.retryAfterMs ?? plan.delayMs
    await closeLane(kernel, tx, { consumer, message, plan: { ...plan, delayMs } })
    return "failed"
  })

interface Unreadable {
  readonly message: Message
  readonly fault: string
}

/** It does not wait behind others of its key: there is nothing to be done in order. */
const takeUnreadable = (kernel: Kernel, consumer: Consumer, { message, fault }: Unreadable): Promise<Taken> =>
  settle(kernel, { consumer, message: { ...message, key: null } }, async (tx) => {
    const error = `the message cannot be read: ${fault}`
    kernel.log.warn({ consumer: consumer.name, eventId: message.id, at: message.at, fault }, "a message cannot be read")
    await bury(kernel, tx, { consumer, message, failure: { message: error, retryable: false }, tried: 0 })
    return "dead"
  })

/** For a message that no handler has: its mark, and what becomes of it. */
const settle = (
  kernel: Kernel,
  { consumer, message }: { readonly consumer: Consumer; readonly message: Message },
  write: (tx: Transaction) => Promise<Taken>,
): Promise<Taken> =>
  kernel.db.transaction(async (tx) => {
    await setLockTimeout(tx)
    const mark = await markMessage(tx, consumer, message)
    return mark === "new" ? write(tx) : mark
  })

interface Burial {
  readonly consumer: Consumer
  readonly message: Message
  readonly failure: Failure
  readonly tried: number
}

async function bury(kernel: Kernel, tx: Transaction, { consumer, message, failure, tried }: Burial): Promise<void> {
  const { retryable, message: error } = failure
  const retried = { message, tried }
  const plan = { delayMs: 0, retry: consumer.retry }
  const jobId = await enqueueMessage(kernel, tx, { consumer, retried, plan })
  const reason: DeadReason = retryable ? "exhausted" : "not-retryable"
  buryJob(kernel, tx, { jobId, reason, error })
  publishDead(kernel, tx, { consumer, payload: JSON.stringify(retried), error })
}

/** Another holder has the message, for as long as its handler takes: it is waited for, a little at a time. */
async function whenFree<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || !isInTheWay(error)) throw error
    }
  }
}

const isInTheWay = (error: unknown): boolean =>
  isContention(error) || (error instanceof EngineError && isContention(error.cause))
