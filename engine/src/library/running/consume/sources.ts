// Where a consumer's messages come from: a topic where a broker is set up, or else the outbox of its own database.
import { type Message, readRecord, type TopicRecord } from "../../../model/events/message.ts"
import { type TopicSource, topicsOf } from "../../../operations/events/consume/topics.ts"
import { relaysOf } from "../../../operations/events/relays.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { badRequest } from "../../../support/errors.ts"
import { HandlerSink, type MillEvent } from "../handler-sink.ts"

export interface Sourcing {
  readonly type: string
  readonly group: string
  /** The name of the consumer: the position in the outbox is kept under it. */
  readonly name: string
  readonly source: "kafka" | "in-process" | undefined
  /** Rejects when the message has to be delivered again. */
  readonly take: (message: Message, signal: AbortSignal) => Promise<void>
  /** Messages of a partition that may be under way. */
  readonly atOnce: number
}

export type StopSource = () => Promise<void>

export async function openSource(kernel: Kernel, sourcing: Sourcing): Promise<StopSource> {
  const topics = topicsOf(kernel).source
  const source = sourcing.source ?? (topics ? "kafka" : "in-process")
  if (source === "in-process") return openOutbox(kernel, sourcing)
  if (!topics)
    throw badRequest('source is "kafka", and no broker is set up: millrace({ kafka: { seedBrokers, transport } })')
  await checkRetention(kernel, topics, sourcing.type)
  return openTopic(kernel, topics, sourcing)
}

async function openOutbox(kernel: Kernel, { type, name, take }: Sourcing): Promise<StopSource> {
  const stopping = new AbortController()
  const handler = (event: MillEvent) => take(messageOf(event), stopping.signal)
  // What a handler throws has become a job: only a message that could not be taken comes here, and then no other can.
  const sink = new HandlerSink(name, handler, "retry")
  const relays = relaysOf(kernel)
  await relays.add({ sink, kind: "in-process", types: [type] })
  return async () => {
    stopping.abort()
    await relays.remove(name)
  }
}

const messageOf = ({ id, type, key, payload, headers, createdAt }: MillEvent): Message => ({
  id,
  type,
  key,
  headers,
  createdAt: createdAt.getTime(),
  content: { payload },
})

function openTopic(kernel: Kernel, topics: TopicSource, { type, group, take, atOnce }: Sourcing): StopSource {
  const handle = (record: TopicRecord, signal: AbortSignal) => take(readRecord(record, type), signal)
  const consumer = topics.open({ type, group, handle, atOnce, log: kernel.log })
  return () => consumer.stop()
}

/** A message that is delivered again after its mark was forgotten would be handled twice. */
async function checkRetention(kernel: Kernel, topics: TopicSource, type: string): Promise<void> {
  const { processedRetainMs } = kernel.settings
  const keptMs = await topics.retentionMs(type).catch((error: unknown) => {
    kernel.log.warn({ err: error, type }, "it could not be checked how long the topic keeps its messages")
    return 0
  })
  if (keptMs === undefined)
    kernel.log.warn({ type }, "the topic keeps its messages for ever, and marks of processed events are forgotten")
  else if (keptMs >= processedRetainMs)
    throw badRequest(
      `the topic of ${type} keeps messages for ${keptMs} ms (retention.ms), and processed events are remembered for ${processedRetainMs} ms: remember them for longer (WE_PROCESSED_RETAIN), or keep the messages for less time`,
    )
}
