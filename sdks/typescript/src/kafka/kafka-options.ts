// Checks the options for Kafka, and says them as its client takes them.
import { readFileSync } from "node:fs"
import type { BaseOptions } from "@platformatic/kafka"
import { heardConnections } from "./group/heard-connections.ts"
import type { KafkaOptions } from "./kafka-connection.ts"

export interface KafkaSettings {
  readonly brokers: readonly string[]
  /** As the client takes them. */
  readonly connection: BaseOptions
}

export function readKafkaOptions(options: KafkaOptions, clientId: string): KafkaSettings {
  const brokers = [options.brokers].flat().flatMap((text) => text.split(",").map((one) => one.trim()))
  const plain = { clientId, bootstrapBrokers: brokers.map(brokerOf), ...heardConnections() }
  if (options.transport === "sasl_scram_tls") return { brokers, connection: { ...plain, ...securedBy(options) } }
  if (options.transport !== "plaintext")
    throw new TypeError(`kafka.transport must be plaintext or sasl_scram_tls, got ${JSON.stringify(options.transport)}`)
  const strange = (["username", "password", "caPath", "serverName"] as const).find(
    (name) => options[name] !== undefined,
  )
  if (strange) throw new TypeError(`kafka.${strange} is for the transport sasl_scram_tls, not for plaintext`)
  return { brokers, connection: plain }
}

const LONGEST_TOPIC = 249

/** Throws where Kafka has no topic of this name. */
export function topicOf(jobType: string): string {
  const topic = `workflow.jobs.${jobType}`
  if (/^[A-Za-z0-9._-]+$/.test(topic) && topic.length <= LONGEST_TOPIC) return topic
  const rule = `letters, digits, ".", "_" and "-" alone, and at most ${LONGEST_TOPIC} of them with the prefix`
  throw new TypeError(`the job type "${jobType}" can have no topic in Kafka: ${rule}`)
}

/** The client itself takes a colon of IPv6 for that of the port. */
function brokerOf(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(":")
  const [host, port] = [text.slice(0, colon).replace(/^\[|\]$/g, ""), Number(text.slice(colon + 1))]
  if (colon < 1 || host === "" || !(port >= 1 && port <= 65_535))
    throw new TypeError(`kafka.brokers must be addresses such as 127.0.0.1:9092, got "${text}"`)
  return { host, port }
}

function securedBy(options: KafkaOptions): Pick<BaseOptions, "tls" | "tlsServerName" | "sasl"> {
  const { username, password, mechanism = "SCRAM-SHA-512", caPath, serverName } = options
  if (!username || !password)
    throw new TypeError("the transport sasl_scram_tls needs kafka.username and kafka.password")
  return {
    tls: caPath === undefined ? {} : { ca: readFileSync(caPath) },
    ...(serverName === undefined ? {} : { tlsServerName: serverName }),
    sasl: { mechanism, username, password },
  }
}
