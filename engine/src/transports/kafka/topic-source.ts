// Kafka as the source of consumers: the type of an event names its topic.
import type { TopicReading, TopicSource } from "../../operations/events/consume/topics.ts"
import { withAdmin } from "./admin.ts"
import { startReading } from "./group-consumer.ts"
import type { KafkaSinkSettings } from "./sink.ts"

const TOPIC = 2 as const
const RETENTION = "retention.ms"

export function kafkaTopics(settings: KafkaSinkSettings): TopicSource {
  const topicOf = (type: string) => `${settings.kafkaTopicPrefix}${type}`
  return {
    open: ({ type, group, ...reading }: TopicReading) =>
      startReading({ settings, groupId: group, topics: [topicOf(type)], ...reading }),
    retentionMs: (type) => retentionOf(settings, topicOf(type)),
  }
}

/** Undefined where nothing is removed for its age. */
const retentionOf = (settings: KafkaSinkSettings, topic: string): Promise<number | undefined> =>
  withAdmin(settings, async (admin) => {
    const resource = { resourceType: TOPIC, resourceName: topic, configurationKeys: [RETENTION] }
    const [described] = await admin.describeConfigs({ resources: [resource] })
    const ms = Number(described?.configs.find(({ name }) => name === RETENTION)?.value ?? -1)
    return ms < 0 ? undefined : ms
  })
