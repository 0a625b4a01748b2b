// Reads topics as a member of a consumer group, the messages of each key in order.
import {
  GroupConsumer,
  type GroupMessage,
  type HandleMessage,
  inOrder,
  monotonicClock,
} from "@millrace/sdk/kafka-group"
import type { Logger } from "../../support/log.ts"
import { clientOptions, type KafkaSettings } from "./client-options.ts"
import { explainFailure } from "./explain-failure.ts"
import { loadClient } from "./load-client.ts"

export type { GroupConsumer, GroupMessage, HandleMessage }

export interface Reading {
  readonly settings: KafkaSettings
  readonly groupId: string
  readonly topics: readonly string[]
  readonly handle: HandleMessage
  /** How many messages of a partition are handled side by side, those of one key one after the other; 1. */
  readonly atOnce?: number
  readonly log: Pick<Logger, "warn">
}

/** Brokers need not be there yet. */
export const startReading = ({ settings, groupId, topics, handle, atOnce, log }: Reading): GroupConsumer =>
  GroupConsumer.start({
    ...inOrder(handle, atOnce),
    groupId,
    topics,
    clock: monotonicClock,
    connect: async () => ({ kafka: await loadClient(), options: clientOptions(settings) }),
    onReset: ({ topic, partition, from }) =>
      log.warn({ topic, partition, from: String(from) }, "records of a topic are gone unread"),
    onFailure: (error, pauseMs) => {
      const err = explainFailure(error, settings.kafkaSeedBrokers)
      log.warn({ err, groupId, topics, pauseMs }, "a consumer of Kafka begins anew")
    },
  })
