// The client of Kafka, loaded when the first KafkaRunner starts: without one the SDK runs without it.
import type { KafkaClient } from "./group/connection.ts"
import { KafkaNotInstalledError } from "./kafka-not-installed.ts"

export async function loadKafka(
  importKafka: () => Promise<KafkaClient> = () => import("@platformatic/kafka"),
): Promise<KafkaClient> {
  try {
    return await importKafka()
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw cause
    const message =
      "a KafkaRunner needs a package beside the SDK: npm install @platformatic/kafka@^1.35.0. A Runner, which asks the engine, needs none."
    throw new KafkaNotInstalledError(message, { cause })
  }
}
