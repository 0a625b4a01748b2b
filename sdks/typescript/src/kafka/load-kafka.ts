// The client of Kafka, loaded when the first KafkaRunner starts: without one the SDK runs without it.
import type { KafkaClient } from "./group/connection.ts"
import { loadClient } from "./group/connection-options.ts"
import { KafkaNotInstalledError } from "./kafka-not-installed.ts"

const MISSING =
  "a KafkaRunner needs a package beside the SDK: npm install @platformatic/kafka@^1.35.0. A Runner, which asks the engine, needs none."

export const loadKafka = (
  importKafka: () => Promise<KafkaClient> = () => import("@platformatic/kafka"),
): Promise<KafkaClient> => loadClient(importKafka, (cause) => new KafkaNotInstalledError(MISSING, { cause }))
