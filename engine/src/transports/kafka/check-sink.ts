// The check of the Kafka sink when an engine starts: what a broker would refuse for ever ends the start, with what to do.
import { isTopicName } from "../../model/events/topic-name.ts"
import type { Logger } from "../../support/log.ts"
import { probeKafka } from "./admin.ts"
import { KafkaError } from "./kafka-error.ts"
import type { KafkaSinkSettings } from "./sink.ts"
import { describeTopics } from "./topics.ts"

/**
 * `types`: of events that the sink will be sent. Throws a KafkaError for a wrong password, certificate, protocol or set-up.
 * A broker that is away is no reason not to start: events are kept until it is back.
 */
export async function checkKafkaSink(
  settings: KafkaSinkSettings,
  types: readonly string[],
  log: Pick<Logger, "error" | "warn">,
): Promise<void> {
  try {
    await probeKafka(settings)
    for (const topic of await missingTopics(settings, types)) log.warn({ topic }, missingLine(topic))
  } catch (error) {
    if (!(error instanceof KafkaError) || error.fault !== "away") throw error
    log.error(`${error.message}. Events are kept, and sent once it answers`)
  }
}

async function missingTopics(settings: KafkaSinkSettings, types: readonly string[]): Promise<string[]> {
  const topics = types.map((type) => `${settings.kafkaTopicPrefix}${type}`).filter(isTopicName)
  const found = await describeTopics(settings, topics)
  return topics.filter((topic) => !found.has(topic))
}

const missingLine = (topic: string): string =>
  `events go to the topic ${topic}, which does not exist: millrace kafka topics ${topic} --create makes it`
