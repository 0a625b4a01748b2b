// The settings of Kafka as its client takes them: addresses, TLS and the password.
import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { heardConnections } from "@millrace/sdk/kafka-group"
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
  const brokers = settings.kafkaSeedBrokers
  assert(settings.kafkaTransport !== undefined && brokers.length > 0, "Kafka is used, but not set up")
  const plain = { clientId: "millrace", bootstrapBrokers: brokers.map(brokerOf), ...heardConnections() }
  return settings.kafkaTransport === "plaintext" ? plain : { ...plain, ...secured(settings) }
}

/** The client itself takes a colon of IPv6 for that of the port. */
function brokerOf(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(":")
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(text.slice(colon + 1)) }
}

function secured(settings: KafkaSettings): Pick<BaseOptions, "tls" | "tlsServerName" | "sasl"> {
  const [username, password] = [settings.kafkaSaslUsername, settings.kafkaSaslPassword]
  assert(username !== undefined && password !== undefined, "a user of Kafka without a name or a password")
  return {
    tls: settings.kafkaTlsCaPath === undefined ? {} : { ca: readAuthority(settings.kafkaTlsCaPath) },
    ...(settings.kafkaTlsServerName === undefined ? {} : { tlsServerName: settings.kafkaTlsServerName }),
    sasl: { mechanism: settings.kafkaSaslMechanism, username, password },
  }
}

function readAuthority(path: string): Buffer {
  const wrong = (what: string) => new KafkaError("set-up", `WE_KAFKA_TLS_CA_PATH=${path}: ${what}`)
  let pem: Buffer
  try {
    pem = readFileSync(path)
  } catch (error) {
    throw wrong(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`)
  }
  try {
    new X509Certificate(pem)
  } catch {
    throw wrong("it is no certificate in PEM")
  }
  return pem
}
