// Checks the options for Kafka, and says them as its client takes them.
import type { BaseOptions } from "@platformatic/kafka"
import { connectionOptions, type Refusals, type Secured } from "./group/connection-options.ts"
import type { KafkaOptions } from "./kafka-connection.ts"

export interface KafkaSettings {
  readonly brokers: readonly string[]
  /** The options in the form that the Kafka client takes. */
  readonly connection: BaseOptions
}

export function readKafkaOptions(options: KafkaOptions, clientId: string): KafkaSettings {
  const brokers = [options.brokers].flat().flatMap((text) => text.split(",").map((one) => one.trim()))
  const connect = (secured: Secured | undefined) => ({
    brokers,
    connection: connectionOptions({ clientId, brokers, secured }, REFUSALS),
  })
  if (options.transport === "sasl_scram_tls") return connect(securedBy(options))
  if (options.transport !== "plaintext")
    throw new TypeError(`kafka.transport must be plaintext or sasl_scram_tls, got ${JSON.stringify(options.transport)}`)
  const strange = (["username", "password", "caPath", "serverName"] as const).find(
    (name) => options[name] !== undefined,
  )
  if (strange) throw new TypeError(`kafka.${strange} is for the transport sasl_scram_tls, not for plaintext`)
  return connect(undefined)
}

const LONGEST_TOPIC = 249

/** Throws where Kafka has no topic of this name. */
export function topicOf(jobType: string): string {
  const topic = `workflow.jobs.${jobType}`
  if (/^[A-Za-z0-9._-]+$/.test(topic) && topic.length <= LONGEST_TOPIC) return topic
  const rule = `letters, digits, ".", "_" and "-" alone, and at most ${LONGEST_TOPIC} of them with the prefix`
  throw new TypeError(`the job type "${jobType}" can have no topic in Kafka: ${rule}`)
}

function securedBy(options: KafkaOptions): Secured {
  const { username, password, mechanism = "SCRAM-SHA-512", caPath, serverName } = options
  if (!username || !password)
    throw new TypeError("the transport sasl_scram_tls needs kafka.username and kafka.password")
  return { username, password, mechanism, caPath, serverName }
}

const REFUSALS: Refusals = {
  broker: (text) => new TypeError(`kafka.brokers must be addresses such as 127.0.0.1:9092, got "${text}"`),
  authority: (path, what) => new TypeError(`kafka.caPath ${path}: ${what}`),
}
