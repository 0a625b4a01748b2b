// The settings of Kafka as its client takes them: addresses, TLS and the password.
import { connectionOptions } from "@millrace/sdk/kafka-group"
import type { BaseOptions } from "@platformatic/kafka"
import { assert } from "../../support/assert.ts"
import { KafkaError } from "./kafka-error.ts"

/** By the names that the settings have. */
export interface KafkaSettings {
  readonly kafkaSeedBrokers: readonly string[]
  readonly kafkaTransport: "plaintext" | "sasl_scram_tls" | undefined
  readonly kafkaSaslMechanism: "SCRAM-SHA-512" | "SCRAM-SHA-256"
  readonly kafkaSaslUsername: string | undefined
  readonly kafkaSaslPassword: string | undefined
  readonly kafkaTlsCaPath: string | undefined
  readonly kafkaTlsServerName: string | undefined
}

export function clientOptions(settings: KafkaSettings): BaseOptions {
  const { kafkaSeedBrokers: brokers, kafkaTransport } = settings
  assert(kafkaTransport !== undefined && brokers.length > 0, "Kafka is used, but not set up")
  const secured = kafkaTransport === "plaintext" ? undefined : securedBy(settings)
  return connectionOptions(
    { clientId: "millrace", brokers, secured },
    { broker: wrongBroker, authority: wrongAuthority },
  )
}

function securedBy(settings: KafkaSettings) {
  const [username, password] = [settings.kafkaSaslUsername, settings.kafkaSaslPassword]
  assert(username !== undefined && password !== undefined, "a user of Kafka without a name or a password")
  return {
    username,
    password,
    mechanism: settings.kafkaSaslMechanism,
    caPath: settings.kafkaTlsCaPath,
    serverName: settings.kafkaTlsServerName,
  }
}

const wrongBroker = (text: string) =>
  new KafkaError("set-up", `WE_KAFKA_SEED_BROKERS: ${text} is no broker such as kafka-1:9092`)

const wrongAuthority = (path: string, what: string) => new KafkaError("set-up", `WE_KAFKA_TLS_CA_PATH=${path}: ${what}`)
