// The Kafka under test: one real broker of tools/kafka.sh, which is killed with -9 and started again on the same data.
import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { loadConfig } from "../../../../engine/dist/config.js"
import { topicOf } from "../../../../engine/dist/model/jobs/dispatch-topic.js"
import type { KafkaSettings } from "../../../../engine/dist/transports/kafka/client-options.js"
import { readGroupProgress } from "../../../../engine/dist/transports/kafka/jobs/group-progress.js"
import { KeptAdmin } from "../../../../engine/dist/transports/kafka/kept-admin.js"
import { createTopics } from "../../../../engine/dist/transports/kafka/topics.js"
import { QUEUE_TYPES } from "../jobs/order.ts"
import { JOB_TYPES } from "../workload.ts"
import { dispatchEnvironment } from "./dispatch-mode.ts"

const SCRIPT = fileURLToPath(new URL("../../../../tools/kafka.sh", import.meta.url))
const PARTITIONS = 4

/** Everything that the load works on goes through Kafka. */
export const PUSHED_TYPES = [...JOB_TYPES, ...QUEUE_TYPES]

export class Broker {
  readonly #folder: string
  #address = ""
  #admin: KeptAdmin | undefined
  #ready: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = join(folder, "kafka")
  }

  get address(): string {
    return this.#address
  }

  get settings(): KafkaSettings {
    return loadConfig({
      env: { WE_POSTGRES_DSN: "postgres://unused", ...dispatchEnvironment({ brokers: this.#address }) },
    })
  }

  /** Up again after a kill. */
  get ready(): Promise<unknown> {
    return this.#ready
  }

  async start(): Promise<void> {
    const said = await this.#run("start", "--port", "0")
    this.#address = /^KAFKA_BOOTSTRAP=(.*)$/m.exec(said)?.[1] ?? ""
    this.#admin = new KeptAdmin(this.settings)
    await createTopics(this.settings, { names: PUSHED_TYPES.map(topicOf), partitions: PARTITIONS, replicas: 1 })
  }

  /** Back some seconds later: meanwhile others are killed, and started without a broker. */
  async kill(): Promise<void> {
    await this.#ready
    await this.#run("kill")
    this.#ready = this.#run("start")
    // A broker that does not come up is noticed where it is waited for.
    this.#ready.catch(() => {})
  }

  /** Messages that the groups of the workers have not passed; undefined while the broker does not tell. */
  async waiting(): Promise<number | undefined> {
    const progress = await this.#admin?.ask((admin) => readGroupProgress(admin, PUSHED_TYPES)).catch(() => undefined)
    return progress?.reduce((sum, { committed, first, end }) => sum + end - Math.max(first, committed ?? 0), 0)
  }

  async stop(): Promise<void> {
    await this.#ready.catch(() => {})
    this.#admin?.close()
    await this.#run("stop")
  }

  async #run(...words: string[]): Promise<string> {
    return (await promisify(execFile)(SCRIPT, [...words, "--dir", this.#folder])).stdout
  }
}
