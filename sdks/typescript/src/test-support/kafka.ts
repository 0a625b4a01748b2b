// A real Kafka for the tests of one file, left behind empty for the next, with messages as the engine's relay writes them.
import { execFile, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Admin } from "@platformatic/kafka"
import { expect } from "vitest"
import { JobDispatchEvent } from "../generated/proto/workflow/v1/engine.ts"
import type { KafkaOptions } from "../kafka/kafka-connection.ts"

const SCRIPT = fileURLToPath(new URL("../../../../tools/kafka.sh", import.meta.url))

/** What needs Kafka is skipped by name unless MILLRACE_FULL_TESTS is set and there is a Java. */
export const lacksKafka: boolean = !process.env.MILLRACE_FULL_TESTS || spawnSync("java", ["-version"]).status !== 0

/** Its set-up may download Kafka, and a busy machine starts it slowly. */
export const KAFKA_START_MS = 300_000

export interface TestKafka {
  readonly plaintext: KafkaOptions
  readonly secured: KafkaOptions
  createTopic(name: string, partitions?: number): Promise<void>
  /** Keys are instance ids. */
  produce(topic: string, events: readonly (SentEvent | Buffer)[]): Promise<void>
  /** By partition; -1 where nothing is. */
  committed(groupId: string, topic: string): Promise<number[]>
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

export type SentEvent = Partial<JobDispatchEvent> & { readonly variables?: object }

export async function startKafka(): Promise<TestKafka> {
  const call = async (command: string, folder = "") =>
    (await promisify(execFile)(SCRIPT, [command, "--dir", folder])).stdout
  const said = valuesOf(await call("borrow", process.env.MILLRACE_TEST_BROKERS))
  const run = (command: string) => call(command, said.KAFKA_DIR)
  const { Producer, Admin } = await import("@platformatic/kafka")
  const connection = { clientId: "test", bootstrapBrokers: [said.KAFKA_BOOTSTRAP ?? ""] }
  const producer = new Producer({ ...connection, autocreateTopics: false, idempotent: true })
  const admin = new Admin(connection)
  return {
    plaintext: { brokers: said.KAFKA_BOOTSTRAP ?? "", transport: "plaintext" },
    secured: {
      brokers: said.KAFKA_SASL_SSL ?? "",
      transport: "sasl_scram_tls",
      username: said.KAFKA_USER,
      password: said.KAFKA_PASSWORD,
      caPath: said.KAFKA_CA,
    },
    async createTopic(name, partitions = 1) {
      await admin.createTopics({ topics: [name], partitions, replicas: 1 })
      // The topic exists before its partitions have a leader.
      await expect.poll(() => isServed(admin, name)).toBe(true)
    },
    produce: async (topic, events) =>
      void (await producer.send({ messages: events.map((event) => sent(topic, event)) })),
    async committed(groupId, topic) {
      const groups = await admin.listConsumerGroupOffsets({ groups: [groupId] })
      const found = groups.flatMap(({ topics }) => topics).find(({ name }) => name === topic)
      const partitions = [...(found?.partitions ?? [])].sort((one, other) => one.partitionIndex - other.partitionIndex)
      return partitions.map(({ committedOffset }) => Number(committedOffset))
    },
    kill: async () => void (await run("kill")),
    restart: async () => void (await run("start")),
    async stop() {
      await run("start")
      const topics = await admin.listTopics()
      if (topics.length > 0) await admin.deleteTopics({ topics })
      await Promise.allSettled([producer.close(true), admin.close()])
      await run("give-back")
    },
  }
}

const isServed = (admin: Admin, name: string): Promise<boolean> =>
  admin.metadata({ topics: [name], forceUpdate: true }).then(
    ({ topics }) => topics.get(name)?.partitions.every(({ leader }) => leader >= 0) ?? false,
    () => false,
  )

const valuesOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]))

function sent(topic: string, event: SentEvent | Buffer) {
  if (Buffer.isBuffer(event)) return { topic, key: Buffer.from("odd"), value: event, partition: 0 }
  return { topic, key: Buffer.from(event.instanceId ?? ""), value: encodeEvent(event) }
}

export const encodeEvent = ({ variables = {}, ...event }: SentEvent): Buffer =>
  Buffer.from(
    JobDispatchEvent.encode(
      JobDispatchEvent.fromPartial({ schemaVersion: 1, jobPayload: Buffer.from(JSON.stringify(variables)), ...event }),
    ).finish(),
  )
