// Keeps the order of each key: a message that has failed is a job, and later ones of its lane queue until that job has ended.
import type { Transaction } from "../../../db/transaction.ts"
import { laneOf, type Message } from "../../../model/events/message.ts"
import { planRetry, type RetriedMessage, type RetryPlan } from "../../../model/events/retried-message.ts"
import { findDeadLetter } from "../../../store/dead-letters/dead-letters.ts"
import {
  deleteLane,
  insertLane,
  listEndedLanes,
  lockLane,
  moveLane,
  queueMessage,
  takeQueued,
} from "../../../store/events/consumer-lanes.ts"
import { type MarkRow, markEvents } from "../../../store/events/processed-events.ts"
import { assert } from "../../../support/assert.ts"
import { enqueueJob } from "../../jobs/enqueue/enqueue-job.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { Consumer } from "./consumer.ts"
import { publishDead } from "./dead-messages.ts"

/** new: it is this transaction's to handle. repeated: it was taken before. queued: it waits behind one that has failed. */
export type Mark = "new" | "repeated" | "queued"

/** The lock on a lane is short: it is not taken together with messages whose handler may run for long. */
class HeldLane extends Error {
  override readonly message = "one of them waits behind a message that has failed: each is taken by itself"
}

/** The first statement of the messages' transaction. A message that is there twice is new once. */
export async function markMessages(
  tx: Transaction,
  { name: consumer, group: consumerGroup }: Consumer,
  messages: readonly Message[],
): Promise<readonly Mark[]> {
  const ids = new Set<string>()
  const each = messages.filter(({ id }) => !ids.has(id) && ids.add(id))
  const rows = await markEvents(tx, { consumer, consumerGroup, eventIds: [...ids], lanes: each.map(laneOf) })
  if (messages.length > 1 && rows.some(({ is_new, is_held }) => is_new && is_held)) throw new HeldLane()
  const marks = new Map<Message, Mark>()
  for (const [at, message] of each.entries()) marks.set(message, await markOf(tx, { consumer, message }, rows[at]))
  return messages.map((message) => marks.get(message) ?? "repeated")
}

async function markOf(
  tx: Transaction,
  { consumer, message }: { readonly consumer: string; readonly message: Message },
  row: MarkRow | undefined,
): Promise<Mark> {
  if (!row?.is_new) return "repeated"
  const key = { consumer, lane: laneOf(message) }
  // The lane may have been opened since: under its lock that is certain.
  if (!row.is_held || (await lockLane(tx, key)) === undefined) return "new"
  queueMessage(tx, key, JSON.stringify(message))
  return "queued"
}

/** Makes a job of a message, and closes its lane until the job has ended. */
export async function closeLane(
  kernel: Kernel,
  tx: Transaction,
  { consumer, message, plan }: { consumer: Consumer; message: Message; plan: RetryPlan },
): Promise<void> {
  const jobId = await enqueueMessage(kernel, tx, { consumer, retried: { message, tried: 1 }, plan })
  insertLane(tx, { consumer: consumer.name, lane: laneOf(message), jobId })
}

interface NewMessageJob {
  readonly consumer: Consumer
  readonly retried: RetriedMessage
  readonly plan: RetryPlan
}

/** Work that was taken from a topic is never refused for want of room, nor for its size. */
export async function enqueueMessage(
  kernel: Kernel,
  tx: Transaction,
  { consumer, retried, plan: { delayMs, retry } }: NewMessageJob,
): Promise<string> {
  const { name: jobType, timeoutMs } = consumer
  const payload = JSON.stringify(retried)
  const request = { jobType, payload, retry, delayMs, timeoutMs, isAccepted: true, actor: "local" }
  const { job } = await enqueueJob(kernel, { ...request, whenFull: "absorb" }, tx)
  return job.id
}

interface EndedJob {
  readonly consumer: Consumer
  readonly lane: string
  readonly jobId: string
}

/** The job has ended: the next message of its lane becomes a job, or the lane is open again. */
export async function advanceLane(kernel: Kernel, tx: Transaction, { consumer, ...lane }: EndedJob): Promise<boolean> {
  const key = { consumer: consumer.name, lane: lane.lane }
  // Not its job any more: it was replayed, or another process was faster.
  if ((await lockLane(tx, key)) !== lane.jobId) return false
  const next = await takeQueued(tx, key)
  if (next === undefined) {
    deleteLane(tx, key)
    return true
  }
  const message = JSON.parse(next) as Message
  const plan = planRetry(consumer.retry, 0, kernel.random)
  assert(plan, "a message that was not tried has a first attempt")
  const jobId = await enqueueMessage(kernel, tx, { consumer, retried: { message, tried: 0 }, plan })
  moveLane(tx, { ...key, jobId })
  return true
}

const LANES_AT_ONCE = 100

/** Jobs also end without a word from a consumer: cancelled by an operator, or lost with their workers. How many there were. */
export async function advanceEndedLanes(kernel: Kernel, consumer: Consumer): Promise<number> {
  const lanes = await listEndedLanes(kernel.db, consumer.name, LANES_AT_ONCE)
  for (const { lane, jobId } of lanes) {
    const letter = await findDeadLetter(kernel.db, jobId)
    await kernel.db.transaction(async (tx) => {
      const isOurs = await advanceLane(kernel, tx, { consumer, lane, jobId })
      if (isOurs && letter) publishDead(kernel, tx, { consumer, ...letter })
    })
  }
  return lanes.length
}
