// Loads the client of Kafka when it is first needed: it comes with its user and not with the engine.
import { loadClient as load } from "@millrace/sdk/kafka-group"
import { KafkaError } from "./kafka-error.ts"

export type KafkaClient = typeof import("@platformatic/kafka")

const MISSING = "Kafka is set up, but the package that speaks to it is missing: npm install @platformatic/kafka@^1.35.0"

export const loadClient = (): Promise<KafkaClient> =>
  load(
    () => import("@platformatic/kafka"),
    () => new KafkaError("set-up", MISSING),
  )
