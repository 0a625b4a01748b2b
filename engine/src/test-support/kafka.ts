// A real Kafka for a test file: a broker that it has for itself, can kill and restart, and leaves behind empty for the next file.
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { KafkaSinkSettings } from "../transports/kafka/sink.ts"

const SCRIPT = fileURLToPath(new URL("../../../tools/kafka.sh", import.meta.url))
const hasJava = (): boolean => spawnSync("java", ["-version"]).status === 0

/** What needs Kafka is skipped by name unless MILLRACE_FULL_TESTS is set and there is a Java. */
export const lacksKafka: boolean = !process.env.MILLRACE_FULL_TESTS || !hasJava()

/** Its set-up may download Kafka, and a busy machine starts it slowly. */
export const KAFKA_START_MS = 300_000

export interface TestKafka {
  readonly plaintext: KafkaSinkSettings
  /** TLS with SASL/SCRAM. */
  readonly secured: KafkaSinkSettings
  /** A port of the broker where TLS is spoken and no password is asked for. */
  readonly tlsOnly: string
  /** Like `plaintext`, at another address. */
  at(broker: string): KafkaSinkSettings
  createTopic(name: string, options?: TopicOptions): Promise<void>
  deleteTopic(name: string): Promise<void>
  /** Everything that is in a topic: by partition, in order. */
  read(topic: string): Promise<ReadRecord[]>
  /** kill -9 of all brokers, or of one by its number from 1 on; what was acknowledged is kept. */
  kill(node?: number): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

interface TopicOptions {
  readonly partitions?: number
  readonly replicas?: number
  readonly maxMessageBytes?: number
  readonly retentionMs?: number
}

export interface ReadRecord {
  readonly partition: number
  readonly offset: bigint
  readonly key: string | undefined
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

interface StartOptions {
  /** How many brokers; a topic has as many copies. */
  readonly nodes?: 1 | 3
  /** The port of a proxy that clients are sent to. */
  readonly advertise?: number
}

export async function startKafka(options: StartOptions = {}): Promise<TestKafka> {
  const isPlain = options.nodes === undefined && options.advertise === undefined
  const said = valuesOf(
    isPlain ? await call("borrow", process.env.MILLRACE_TEST_BROKERS ?? "") : await startOwn(options),
  )
  const run = (...words: string[]) => call(words[0] ?? "", said.KAFKA_DIR ?? "", ...words.slice(1))
  const { plaintext, secured } = settingsOf(said)
  return {
    plaintext,
    secured,
    tlsOnly: said.KAFKA_SSL ?? "",
    at: (broker) => ({ ...plaintext, kafkaSeedBrokers: [broker] }),
    createTopic: (name, topic) => createTopic(plaintext, name, { replicas: options.nodes ?? 1, ...topic }),
    deleteTopic: (name) => deleteTopics(plaintext, [name]),
    read: (topic) => readTopic(plaintext, topic),
    kill: async (node) => void (await run("kill", ...(node === undefined ? [] : ["--node", `${node}`]))),
    restart: async () => void (await run("start")),
    stop: async () => void (isPlain ? await giveBack(plaintext, run) : await run("stop")),
  }
}

const call = async (command: string, folder: string, ...words: string[]): Promise<string> =>
  (await promisify(execFile)(SCRIPT, [command, "--dir", folder, ...words])).stdout

async function startOwn({ nodes = 1, advertise }: StartOptions): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-kafka-"))
  const proxied = advertise === undefined ? [] : ["--advertise", `${advertise}`]
  const said = await call("start", folder, "--port", "0", "--secure", "--nodes", `${nodes}`, ...proxied)
  return `${said}KAFKA_DIR=${folder}\n`
}

/** Without its topics, and running. */
async function giveBack(settings: KafkaSinkSettings, run: (command: string) => Promise<string>): Promise<void> {
  await run("start")
  const { withAdmin } = await import("../transports/kafka/admin.ts")
  await deleteTopics(settings, await withAdmin(settings, (admin) => admin.listTopics()))
  await run("give-back")
}

const valuesOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]))

function settingsOf(said: Readonly<Record<string, string>>) {
  const plaintext: KafkaSinkSettings = {
    kafkaSeedBrokers: (said.KAFKA_BOOTSTRAP ?? "").split(","),
    kafkaTransport: "plaintext",
    kafkaSaslMechanism: "SCRAM-SHA-512",
    kafkaSaslUsername: undefined,
    kafkaSaslPassword: undefined,
    kafkaTlsCaPath: undefined,
    kafkaTlsServerName: undefined,
    kafkaTopicPrefix: "",
  }
  const secured: KafkaSinkSettings = {
    ...plaintext,
    kafkaSeedBrokers: (said.KAFKA_SASL_SSL ?? "").split(","),
    kafkaTransport: "sasl_scram_tls",
    kafkaSaslUsername: said.KAFKA_USER,
    kafkaSaslPassword: said.KAFKA_PASSWORD,
    kafkaTlsCaPath: said.KAFKA_CA,
  }
  return { plaintext, secured }
}

// Loaded when they are needed: without Kafka a test file is skipped, and need not load its client.
async function createTopic(
  settings: KafkaSinkSettings,
  name: string,
  { partitions = 1, replicas = 1, maxMessageBytes, retentionMs }: TopicOptions,
): Promise<void> {
  const { withAdmin } = await import("../transports/kafka/admin.ts")
  const given = { "max.message.bytes": maxMessageBytes, "retention.ms": retentionMs }
  const configs = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: String(value) }],
  )
  const { untilServed } = await import("../transports/kafka/topics.ts")
  await withAdmin(settings, async (admin) => {
    await admin.createTopics({ topics: [name], partitions, replicas, configs })
    await untilServed(admin, [name])
  })
}

async function deleteTopics(settings: KafkaSinkSettings, topics: string[]): Promise<void> {
  const { withAdmin } = await import("../transports/kafka/admin.ts")
  const { describeTopics } = await import("../transports/kafka/topics.ts")
  if (topics.length === 0) return
  await withAdmin(settings, (admin) => admin.deleteTopics({ topics }))
  // The broker that was told goes on taking records for a moment, which then are gone with the topic.
  while ((await describeTopics(settings, topics)).size > 0);
}

async function readTopic(settings: KafkaSinkSettings, topic: string): Promise<ReadRecord[]> {
  const [{ Consumer }, { clientOptions }] = await Promise.all([
    import("@platformatic/kafka"),
    import("../transports/kafka/client-options.ts"),
  ])
  const consumer = new Consumer({ ...clientOptions(settings), groupId: `read-${Math.random()}` })
  const ends = (await consumer.listOffsets({ topics: [topic] })).get(topic) ?? []
  let left = ends.reduce((sum, end) => sum + end, 0n)
  const records: ReadRecord[] = []
  if (left > 0n) {
    const stream = await consumer.consume({ topics: [topic], mode: "earliest", autocommit: false, maxWaitTime: 100 })
    for await (const { partition, offset, key, value, headers } of stream) {
      const told = Object.fromEntries([...headers].map(([name, text]) => [String(name), String(text)]))
      records.push({ partition, offset, key: key?.toString(), value: String(value), headers: told })
      left -= 1n
      if (left === 0n) break
    }
  }
  await consumer.close(true)
  return records.sort((one, other) => one.partition - other.partition || Number(one.offset - other.offset))
}
