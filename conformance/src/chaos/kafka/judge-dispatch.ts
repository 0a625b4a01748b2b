// What must hold for jobs that went through Kafka when all is over, and the run in numbers.
import type { Database } from "../../../../engine/dist/db/database.js"
import type { Broker } from "./broker.ts"
import { doubledDispatches, type Message, readMessages } from "./messages.ts"

export interface DispatchFacts {
  readonly switches: number
  /** Jobs and steps that were completed in either way. */
  readonly polled: number
  readonly pushed: number
  /** Deliveries of a message that was delivered before: after a crash or a rebalance, as Kafka promises. */
  readonly deliveredAgain: number
  readonly messages: number
  /** Messages that the relay has published more than once, under the same dedup id. */
  readonly publishedAgain: number
}

interface Judged {
  readonly facts: DispatchFacts
  readonly violations: readonly string[]
}

export async function judgeDispatch(db: Database, broker: Broker, switches: number): Promise<Judged> {
  const messages = await readMessages(broker.settings)
  const [counts] = await db.script(COUNTS)
  const distinct = new Set(messages.map(({ dedupId }) => dedupId)).size
  const facts = {
    switches,
    polled: Number(counts?.polled),
    pushed: Number(counts?.pushed),
    deliveredAgain: Number(counts?.again),
    messages: messages.length,
    publishedAgain: messages.length - distinct,
  }
  return {
    facts,
    violations: [...(await stuck(db, broker)), ...(await unsent(db, messages)), ...doubledDispatches(messages)],
  }
}

export const dispatchLines = (facts: DispatchFacts): string[] => [
  `the mode was switched ${facts.switches} times; ${facts.polled} jobs completed by polling, ${facts.pushed} through Kafka`,
  `${facts.messages} messages, ${facts.publishedAgain} of them published again; ${facts.deliveredAgain} deliveries were repeats`,
]

/** Nothing is on its way any more: no row of the relay, and no message that the workers have not passed. */
async function stuck(db: Database, broker: Broker): Promise<string[]> {
  const [row] = await db.script("select count(*) as left from millrace.dispatches")
  const waiting = await broker.waiting()
  return [
    ...(Number(row?.left) > 0 ? [`L1: ${row?.left} dispatches of the relay are left behind`] : []),
    ...(waiting === 0 ? [] : [`L1: ${waiting ?? "unknown"} messages wait in the topics, and no worker reads them`]),
  ]
}

/** What a worker was given by Kafka is in a topic, under the same claim. */
async function unsent(db: Database, messages: readonly Message[]): Promise<string[]> {
  const sent = new Set(messages.map(({ jobId, attempt }) => `${jobId}#${attempt}`))
  const rows = await db.script("select job_id, attempt from public.chaos_effects where via = 'kafka'")
  const missing = rows.filter((row) => !sent.has(`${row.job_id}#${row.attempt}`))
  return missing.slice(0, 20).map((row) => `S8: delivery ${row.attempt} of job ${row.job_id} is in no topic`)
}

const COUNTS = `select count(*) filter (where via = 'polled' and is_result) as polled,
    count(*) filter (where via = 'kafka' and is_result) as pushed, coalesce(sum(repeats), 0) as again
  from (select e.via, e.repeats, exists (select from millrace.history h where h.instance_id = e.instance_id
      and h.execution = e.execution and h.epoch = e.attempt and h.status = 'COMPLETED') as is_result
    from public.chaos_effects e) x`
