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
import { closeLane, enqueueMessage, type Mark, markMessages } from "./lanes.ts"

/** processed: its handler's work is committed. failed: it is a job now. dead: it is a dead letter. */
export type Taken = "processed" | "failed" | "dead" | Exclude<Mark, "new">

export interface Given {
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
  countTaken(kernel, consumer, taken)
  return taken
}

/** All in one transaction. Rejects when nothing is known to be committed: each of them can be taken by itself. */
export async function takeTogether<Own extends Unit>(
  kernel: Kernel,
  consumer: Consumer<Own>,
  given: readonly Given[],
): Promise<readonly Taken[]> {
  const messages = given.map(({ message }) => message)
  const signal = AbortSignal.any(given.map((each) => each.signal))
  const taken = await consumer.transaction((unit) => handleNew(unit, consumer, { messages, signal }))
  for (const each of taken) countTaken(kernel, consumer, each)
  return taken
}

const countTaken = ({ metrics }: Kernel, { group }: Consumer, outcome: Taken): void =>
  metrics.eventsConsumed.inc({ consumer_group: group, outcome })

interface GivenAll {
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
  readonly onMarked?: () => void
}

async function handleNew<Own extends Unit>(
  unit: Own,
  consumer: Consumer<Own>,
  { messages, signal, onMarked }: GivenAll,
): Promise<readonly Taken[]> {
  const marks = await unit.within((tx) => markMessages(tx, consumer, messages))
  const fresh = messages.filter((_, at) => marks[at] === "new")
  if (fresh.length > 0) {
    onMarked?.()
    await consumer.handle(unit, { messages: fresh, attempt: 1, signal })
  }
  return marks.map((mark) => (mark === "new" ? "processed" : mark))
}

async function takeOnce<Own extends Unit>(
  kernel: Kernel,
  consumer: Consumer<Own>,
  { message, signal }: Given,
): Promise<Taken> {
  if ("fault" in message.content) return takeUnreadable(kernel, consumer, { message, fault: message.content.fault })
  let isMarked = false
  try {
    const onMarked = () => {
      isMarked = true
    }
    const [taken] = await consumer.transaction((unit) =>
      handleNew(unit, consumer, { messages: [message], signal, onMarked }),
    )
    return taken as Taken
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

/** An unreadable message does not wait behind others of its key: there is nothing to do in order. */
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
    const [mark] = await markMessages(tx, consumer, [message])
    return mark === "new" ? write(tx) : (mark as Taken)
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
