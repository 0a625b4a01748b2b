// Reads every message of the topics of jobs, when all is over: what the relay has published, and whether one claim was dispatched twice.
import { JobDispatchEvent } from "@millrace/sdk/proto"
import { topicOf } from "../../../../engine/dist/model/jobs/dispatch-topic.js"
import { clientOptions, type KafkaSettings } from "../../../../engine/dist/transports/kafka/client-options.js"
import { loadClient } from "../../../../engine/dist/transports/kafka/load-client.js"
import { PUSHED_TYPES } from "./broker.ts"

export interface Message {
  readonly dedupId: string
  readonly jobId: string
  readonly attempt: number
}

export async function readMessages(settings: KafkaSettings): Promise<Message[]> {
  const { Consumer } = await loadClient()
  const consumer = new Consumer({ ...clientOptions(settings), groupId: "chaos-verdict" })
  const topics = PUSHED_TYPES.map(topicOf)
  const ends = await consumer.listOffsets({ topics })
  let left = [...ends.values()].flat().reduce((sum, end) => sum + Number(end), 0)
  const messages: Message[] = []
  if (left > 0) {
    const stream = await consumer.consume({ topics, mode: "earliest", autocommit: false, maxWaitTime: 100 })
    for await (const { value } of stream) {
      const { dedupId, jobId, attempt } = JobDispatchEvent.decode(value as Buffer)
      messages.push({ dedupId, jobId, attempt })
      left -= 1
      if (left === 0) break
    }
  }
  await consumer.close(true)
  return messages
}

/** A message may be there again; a claim of a job has one dedup id, and a dedup id is of one claim. */
export function doubledDispatches(messages: readonly Message[]): string[] {
  const claimOf = ({ jobId, attempt }: Message) => `delivery ${attempt} of job ${jobId}`
  return [
    ...many(messages, claimOf, ({ dedupId }) => dedupId).map(
      (claim) => `S8: ${claim} was dispatched under two dedup ids`,
    ),
    ...many(messages, ({ dedupId }) => dedupId, claimOf).map((id) => `S8: dedup id ${id} names two deliveries`),
  ]
}

function many<T>(items: readonly T[], keyOf: (item: T) => string, partnerOf: (item: T) => string): string[] {
  const values = new Map<string, Set<string>>()
  for (const item of items) values.set(keyOf(item), (values.get(keyOf(item)) ?? new Set()).add(partnerOf(item)))
  return [...values].flatMap(([key, all]) => (all.size > 1 ? [key] : []))
}
