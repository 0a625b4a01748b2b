// The sinks of a server: those that WE_EVENT_SINKS names are checked when it starts, and sent to from then on.
import type { Config } from "./config.ts"
import { relaysOf } from "./operations/events/relays.ts"
import type { Kernel } from "./operations/kernel/kernel.ts"
import { listExpectedTypes } from "./store/events/events.ts"
import { assert } from "./support/assert.ts"

/** Loads what the named sinks need and nothing of the others. */
export async function addEventSinks(config: Config, kernel: Kernel): Promise<void> {
  if (config.eventSinks.includes("kafka")) await addKafka(config, kernel)
  if (config.eventSinks.includes("webhook")) await addWebhook(config, kernel)
}

async function addKafka(config: Config, kernel: Kernel): Promise<void> {
  const { checkKafkaSink } = await import("./transports/kafka/check-sink.ts")
  const { kafkaSink } = await import("./transports/kafka/sink.ts")
  const sink = kafkaSink(config)
  const types = await listExpectedTypes(kernel.db, sink.name)
  await checkKafkaSink(config, types, kernel.log)
  await relaysOf(kernel).add({ sink, kind: "kafka", batchMax: config.outboxBatchSize })
}

async function addWebhook(config: Config, kernel: Kernel): Promise<void> {
  const [eventWebhookUrl, eventWebhookSecret] = [config.eventWebhookUrl, config.eventWebhookSecret]
  assert(eventWebhookUrl !== undefined && eventWebhookSecret !== undefined, "a webhook without a URL or a secret")
  const { WebhookSink } = await import("./transports/webhook/sink.ts")
  const sink = new WebhookSink({ ...config, eventWebhookUrl, eventWebhookSecret })
  const limits = { tries: config.eventWebhookTries, batchMax: config.outboxBatchSize }
  await relaysOf(kernel).add({ sink, kind: "http", ...limits })
}
