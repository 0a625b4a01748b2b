// Kafka as a sink of events: the type of an event names its topic, its key the partition. Events of one key are written in the order in
// which they were published, whatever their types.
import type { OutgoingEvent, SendOutcome, Sink } from "../../operations/events/sink.ts"
import type { KafkaSettings } from "./client-options.ts"
import { KafkaProducer } from "./producer.ts"
import type { KafkaRecord, Verdict } from "./record.ts"

export interface KafkaSinkSettings extends KafkaSettings {
  readonly kafkaTopicPrefix: string
}

export function kafkaSink(settings: KafkaSinkSettings, options?: { readonly deadlineMs?: number }): Sink {
  const producer = new KafkaProducer(settings, options)
  return {
    name: "kafka",
    takesMany: true,
    async send(batch) {
      const verdicts = await producer.send(batch.map((event) => recordOf(event, settings.kafkaTopicPrefix)))
      return verdicts.map(outcomeOf)
    },
    close: () => producer.close(),
  }
}

/** What we say of an event counts more than what its publisher says in a header of the same name. */
const recordOf = ({ id, type, key, payload, headers, createdAt }: OutgoingEvent, prefix: string): KafkaRecord => ({
  topic: `${prefix}${type}`,
  key,
  line: key,
  value: Buffer.from(payload),
  headers: {
    ...headers,
    "event-id": id,
    "event-type": type,
    "event-time": new Date(createdAt).toISOString(),
    "content-type": "application/json",
  },
})

const outcomeOf = (verdict: Verdict): SendOutcome =>
  verdict.kind === "written" ? { kind: "sent", at: `${verdict.topic}/${verdict.partition}/${verdict.offset}` } : verdict
