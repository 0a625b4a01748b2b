// The connection to Kafka from typed options, for the library: names without their prefix, defaults and checks as those of the settings.
import { badRequest } from "../support/errors.ts"
import { requirement } from "./core-config.ts"
import { kafkaSettings } from "./kafka-settings.ts"
import { brokenRules } from "./rules.ts"
import type { Settings } from "./settings.ts"

export interface KafkaOptions {
  /** Brokers such as `kafka-1:9092`, which are asked for the others. */
  readonly seedBrokers: readonly string[]
  /** There is no default, and no falling back to plaintext. */
  readonly transport: "plaintext" | "sasl_scram_tls"
  readonly saslMechanism?: "SCRAM-SHA-512" | "SCRAM-SHA-256"
  readonly saslUsername?: string
  readonly saslPassword?: string
  /** The authority that has signed the brokers' certificates, in PEM. */
  readonly tlsCaPath?: string
  readonly tlsServerName?: string
  /** Put before the type of an event to make the name of its topic. */
  readonly topicPrefix?: string
}

const OPTIONS = {
  seedBrokers: "kafkaSeedBrokers",
  transport: "kafkaTransport",
  saslMechanism: "kafkaSaslMechanism",
  saslUsername: "kafkaSaslUsername",
  saslPassword: "kafkaSaslPassword",
  tlsCaPath: "kafkaTlsCaPath",
  tlsServerName: "kafkaTlsServerName",
  topicPrefix: "kafkaTopicPrefix",
} as const satisfies Record<keyof KafkaOptions, keyof typeof kafkaSettings>

export type KafkaConfig = Pick<Settings, (typeof OPTIONS)[keyof KafkaOptions]>

const nameOf = (key: string): string => {
  const option = Object.entries(OPTIONS).find(([, setting]) => setting === key)?.[0]
  return option === undefined ? key : `kafka.${option}`
}

/** `what`: the function that was called, for the message. */
export function kafkaConfig(what: string, given: KafkaOptions): KafkaConfig {
  const problems: string[] = Object.keys(given).flatMap((name) => (name in OPTIONS ? [] : [`kafka.${name} is unknown`]))
  const values: Record<string, unknown> = {}
  for (const [option, key] of Object.entries(OPTIONS)) {
    const value = given[option as keyof KafkaOptions]
    const setting = kafkaSettings[key]
    if (value === undefined) values[key] = setting.defaultOf({ cpus: 1 })
    else if (setting.accepts(value)) values[key] = value
    else problems.push(`kafka.${option} ${requirement(setting, value)}`)
  }
  if (!given.seedBrokers?.length) problems.push("kafka.seedBrokers is missing")
  problems.push(...brokenRules(values, nameOf))
  if (problems.length > 0) throw badRequest(`${what}: ${problems.join("; ")}`)
  return values as KafkaConfig
}
