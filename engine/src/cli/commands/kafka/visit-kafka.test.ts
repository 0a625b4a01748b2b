// The commands about Kafka on a real one: what there is, what is missing, and the command that makes it.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Config, loadConfig } from "../../../config.ts"
import { KAFKA_START_MS, lacksKafka, startKafka, type TestKafka } from "../../../test-support/kafka.ts"
import { runKafkaCheck, runKafkaTopics } from "./visit-kafka.ts"

const configOf = (env: Record<string, string>): Config => loadConfig({ env, readFile: () => "" })

/** What was printed, and what the process would end with. */
async function said(run: (print: (text: string) => void) => Promise<number>): Promise<[number, string]> {
  const lines: string[] = []
  return [await run((line) => lines.push(line)), lines.join("\n")]
}

test("without a broker in the settings it says which are missing", async () => {
  await expect(runKafkaCheck(configOf({}), [], () => {})).rejects.toThrow(
    /WE_KAFKA_SEED_BROKERS and WE_KAFKA_TRANSPORT/,
  )
})

test("a name that no topic can have is a wrong call", async () => {
  const config = configOf({ WE_KAFKA_SEED_BROKERS: "127.0.0.1:1", WE_KAFKA_TRANSPORT: "plaintext" })
  await expect(runKafkaCheck(config, ["a b"], () => {})).rejects.toMatchObject({ exitCode: 2 })
})

describe.skipIf(lacksKafka)("millrace kafka (needs Java and Kafka)", () => {
  let kafka: TestKafka
  let config: Config
  beforeAll(async () => {
    kafka = await startKafka()
    const { secured } = kafka
    config = configOf({
      WE_KAFKA_SEED_BROKERS: secured.kafkaSeedBrokers.join(),
      WE_KAFKA_TRANSPORT: "sasl_scram_tls",
      WE_KAFKA_SASL_USERNAME: secured.kafkaSaslUsername ?? "",
      WE_KAFKA_SASL_PASSWORD: secured.kafkaSaslPassword ?? "",
      WE_KAFKA_TLS_CA_PATH: secured.kafkaTlsCaPath ?? "",
    })
  }, KAFKA_START_MS)
  afterAll(() => kafka?.stop())

  test("C-95: a missing topic is named with the command that makes it; that command makes it", async () => {
    const [code, text] = await said((print) => runKafkaCheck(config, ["paid"], print))
    expect(code).toBe(1)
    expect(text).toMatch(/^Kafka answers at 127\.0\.0\.1:\d+ \(sasl_scram_tls\): 1 broker\.$/m)
    expect(text).toContain("paid  does not exist")
    expect(text).toContain("millrace kafka topics paid --create")
    const topics = { names: ["paid"], create: true, partitions: 2 }
    const [made, shown] = await said((print) => runKafkaTopics(config, topics, print))
    expect([made, shown]).toEqual([0, expect.stringMatching(/^paid is made\.\n {2}paid {2}2 partitions, one copy/)])
    expect((await said((print) => runKafkaCheck(config, ["paid"], print)))[0]).toBe(0)
  })
})
