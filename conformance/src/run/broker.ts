// A Kafka for one cell: topics have fixed names, so that two cells cannot share one.
import { fileURLToPath } from "node:url"
import { createTopics } from "../../../engine/dist/transports/kafka/topics.js"
import { command } from "./command.ts"

export interface Broker {
  readonly addresses: string
  /** The settings of an engine that dispatches through this broker. */
  readonly settings: Readonly<Record<string, string>>
  stop(): Promise<void>
}

const SCRIPT = fileURLToPath(new URL("../../../tools/kafka.sh", import.meta.url))
const SHAPE = { partitions: 2, replicas: 1 }

/** With a topic for each job type. */
export async function startBroker(folder: string, jobTypes: readonly string[]): Promise<Broker> {
  const said = await command("/", SCRIPT, "start", "--port", "0", "--dir", folder)
  const addresses = /^KAFKA_BOOTSTRAP=(.*)$/m.exec(said)?.[1] ?? ""
  const stop = async () => void (await command("/", SCRIPT, "stop", "--dir", folder))
  try {
    const names = jobTypes.map((jobType) => `workflow.jobs.${jobType}`)
    await createTopics(settingsOf(addresses), { names, ...SHAPE })
  } catch (error) {
    await stop()
    throw error
  }
  const settings = {
    WE_DISPATCH_MODE: "kafka_outbox",
    WE_KAFKA_SEED_BROKERS: addresses,
    WE_KAFKA_TRANSPORT: "plaintext",
  }
  return { addresses, settings, stop }
}

const settingsOf = (addresses: string) => ({
  kafkaSeedBrokers: addresses.split(","),
  kafkaTransport: "plaintext" as const,
  kafkaSaslMechanism: "SCRAM-SHA-512" as const,
  kafkaSaslUsername: undefined,
  kafkaSaslPassword: undefined,
  kafkaTlsCaPath: undefined,
  kafkaTlsServerName: undefined,
})
