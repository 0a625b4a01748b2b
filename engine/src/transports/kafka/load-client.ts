// Loads the client of Kafka when it is first needed: it comes with its user and not with the engine.
import { KafkaError } from "./kafka-error.ts"

export type KafkaClient = typeof import("@platformatic/kafka")

export async function loadClient(): Promise<KafkaClient> {
  try {
    return await import("@platformatic/kafka")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error
    throw new KafkaError(
      "set-up",
      "Kafka is set up, but the package that speaks to it is missing: npm install @platformatic/kafka@^1.35.0",
    )
  }
}
