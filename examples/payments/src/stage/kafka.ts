// Kafka: yours where KAFKA_BROKERS names one, else a broker of this run made by tools/kafka.sh; undefined where there is no Java.
import { execFile, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { EVENT_TYPES } from "../payments/events.ts"

const SCRIPT = fileURLToPath(new URL("../../../../tools/kafka.sh", import.meta.url))
const MILLRACE = new URL("../bin/millrace.js", import.meta.resolve("millrace"))
const PARTITIONS = "6"

export interface RunningKafka {
  readonly brokers: string
  createTopics(): Promise<void>
  /** kill -9; what was acknowledged is kept. */
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

export const hasJava = (): boolean => spawnSync("java", ["-version"]).status === 0

export async function startKafka(folder: string): Promise<RunningKafka> {
  const run = async (...words: string[]) => (await promisify(execFile)(SCRIPT, [...words, "--dir", folder])).stdout
  const said = await run("start", "--port", "0")
  const brokers = /^KAFKA_BOOTSTRAP=(.*)$/m.exec(said)?.[1] ?? ""
  return {
    brokers,
    createTopics: () => createTopics(brokers),
    kill: async () => void (await run("kill")),
    restart: async () => void (await run("start")),
    stop: async () => void (await run("stop")),
  }
}

/** `millrace kafka topics --create`: topics are never made by themselves. */
async function createTopics(brokers: string): Promise<void> {
  const words = ["kafka", "topics", ...EVENT_TYPES, "--create", "--partitions", PARTITIONS, "--replicas", "1"]
  const env = { ...process.env, WE_KAFKA_SEED_BROKERS: brokers, WE_KAFKA_TRANSPORT: "plaintext" }
  await promisify(execFile)(process.execPath, [fileURLToPath(MILLRACE), ...words], { env })
}
