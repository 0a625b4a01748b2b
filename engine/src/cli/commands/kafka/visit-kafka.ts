// What `millrace kafka check` and `millrace kafka topics` do: visits to the brokers of the settings.
import type { Config } from "../../../config.ts"
import { isTopicName } from "../../../model/events/topic-name.ts"
import { safeText } from "../../../support/redact.ts"
import { probeKafka } from "../../../transports/kafka/admin.ts"
import {
  createTopics,
  describeTopics,
  type NewTopics,
  type TopicDescription,
} from "../../../transports/kafka/topics.ts"
import { CommandError, calledWrongly } from "../../command-error.ts"

type Print = (text: string) => void

/** What the process ends with: 1 when a topic is missing. Whatever keeps Kafka from answering is thrown. */
export async function runKafkaCheck(config: Config, names: readonly string[], print: Print): Promise<number> {
  expectKafka(config)
  expectNames(names)
  const { brokers } = await probeKafka(config)
  print(
    `Kafka answers at ${config.kafkaSeedBrokers.join(",")} (${config.kafkaTransport}): ${count(brokers, "broker")}.`,
  )
  return showTopics(config, names, print)
}

type WantedTopics = Omit<NewTopics, "replicas"> & { readonly replicas?: number; readonly create?: boolean }

/** The number of copies where there are at least as many brokers. */
const COPIES = 3

export async function runKafkaTopics(
  config: Config,
  { create, ...topics }: WantedTopics,
  print: Print,
): Promise<number> {
  expectKafka(config)
  expectNames(topics.names)
  if (create) {
    const replicas = topics.replicas ?? Math.min(COPIES, (await probeKafka(config)).brokers)
    for (const name of await createTopics(config, { ...topics, replicas })) print(`${name} is made.`)
  }
  return showTopics(config, topics.names, print)
}

async function showTopics(config: Config, names: readonly string[], print: Print): Promise<number> {
  if (names.length === 0) return 0
  const found = await describeTopics(config, names)
  for (const name of names) print(`  ${name}  ${describe(found.get(name))}`)
  const missing = names.filter((name) => !found.has(name))
  if (missing.length > 0) print(`To make what is missing: millrace kafka topics ${missing.join(" ")} --create`)
  return missing.length > 0 ? 1 : 0
}

function describe(topic: TopicDescription | undefined): string {
  if (!topic) return "does not exist"
  const copies = topic.replicas === 1 ? "one copy, which is lost with its broker" : count(topic.replicas, "replica")
  const behind = topic.behind > 0 ? `, ${count(topic.behind, "partition")} with a copy behind` : ""
  return `${count(topic.partitions, "partition")}, ${copies}${behind}`
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

function expectKafka({ kafkaSeedBrokers }: Config): void {
  if (kafkaSeedBrokers.length > 0) return
  throw new CommandError("Kafka is not set up: set WE_KAFKA_SEED_BROKERS and WE_KAFKA_TRANSPORT")
}

function expectNames(names: readonly string[]): void {
  const wrong = names.find((name) => !isTopicName(name))
  if (wrong !== undefined)
    throw calledWrongly(`${safeText(wrong)} cannot be the name of a topic: letters, digits, ., _ and -, 249 at most`)
}
