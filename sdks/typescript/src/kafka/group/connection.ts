// The client of Kafka, and how it connects.
import type { BaseOptions } from "@platformatic/kafka"

/** Imports the types only: nothing is loaded by it. */
export type KafkaClient = typeof import("@platformatic/kafka")

export interface Connection {
  readonly kafka: KafkaClient
  readonly options: BaseOptions
}
