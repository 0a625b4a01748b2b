// Visits to a real Kafka: what is wrong with a connection is said at once, and topics are described and made.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { KAFKA_START_MS, lacksKafka, startKafka, type TestKafka } from "../../test-support/kafka.ts"
import { probeKafka } from "./admin.ts"
import type { KafkaSettings } from "./client-options.ts"
import type { KafkaFault } from "./kafka-error.ts"
import { createTopics, describeTopics } from "./topics.ts"

describe.skipIf(lacksKafka)("Kafka's administrator (needs Java and Kafka)", () => {
  let kafka: TestKafka
  beforeAll(async () => {
    kafka = await startKafka()
  }, KAFKA_START_MS)
  afterAll(() => kafka?.stop())

  test("C-07: a broker answers in plaintext, and over TLS with a password of either mechanism", async () => {
    expect(await probeKafka(kafka.plaintext)).toEqual({ brokers: 1 })
    expect(await probeKafka(kafka.secured)).toEqual({ brokers: 1 })
    expect(await probeKafka({ ...kafka.secured, kafkaSaslMechanism: "SCRAM-SHA-256" })).toEqual({ brokers: 1 })
    expect(await probeKafka({ ...kafka.secured, kafkaTlsServerName: "localhost" })).toEqual({ brokers: 1 })
  })

  const otherAuthority = () => {
    const path = join(kafka.secured.kafkaTlsCaPath ?? "", "../none.pem")
    writeFileSync(path, "this is no certificate")
    return path
  }

  test.each<[string, () => Partial<KafkaSettings>, KafkaFault, RegExp]>([
    [
      "no broker",
      () => ({ kafkaSeedBrokers: ["127.0.0.1:1"] }),
      "away",
      /127\.0\.0\.1:1: no broker.*WE_KAFKA_SEED_BROKERS/,
    ],
    ["an unknown host", () => ({ kafkaSeedBrokers: ["no-such-host.invalid:9092"] }), "away", /WE_KAFKA_SEED_BROKERS/],
    ["a wrong password", () => ({ kafkaSaslPassword: "wr0ng" }), "credentials", /WE_KAFKA_SASL_PASSWORD/],
    ["a wrong user", () => ({ kafkaSaslUsername: "nobody" }), "credentials", /WE_KAFKA_SASL_USERNAME/],
    ["no authority", () => ({ kafkaTlsCaPath: undefined }), "certificate", /WE_KAFKA_TLS_CA_PATH/],
    ["another name", () => ({ kafkaTlsServerName: "kafka.example.com" }), "certificate", /WE_KAFKA_TLS_SERVER_NAME/],
    ["a file that is not there", () => ({ kafkaTlsCaPath: "/no/ca.pem" }), "set-up", /WE_KAFKA_TLS_CA_PATH.*ENOENT/],
    ["a file that is no certificate", () => ({ kafkaTlsCaPath: otherAuthority() }), "set-up", /no certificate in PEM/],
    [
      "TLS at a plaintext port",
      () => ({ kafkaSeedBrokers: kafka.plaintext.kafkaSeedBrokers }),
      "protocol",
      /WE_KAFKA_TRANSPORT/,
    ],
    ["a password where none is asked for", () => ({ kafkaSeedBrokers: [kafka.tlsOnly] }), "protocol", /SASL_SSL/],
    ["plaintext at a TLS port", () => ({ kafkaTransport: "plaintext" }), "protocol", /WE_KAFKA_TRANSPORT/],
  ])("trap 2: %s is said at once, with what to do", async (_, change, fault, advice) => {
    const probing = probeKafka({ ...kafka.secured, ...change() })
    await expect(probing).rejects.toMatchObject({ name: "KafkaError", fault, message: expect.stringMatching(advice) })
    await expect(probing).rejects.not.toThrow(/wr0ng|millrace-secret/)
  })

  test("topics are made once, described, and missed by name", async () => {
    const shape = { partitions: 3, replicas: 1 }
    expect(await createTopics(kafka.plaintext, { names: ["made", "made.too"], ...shape })).toHaveLength(2)
    const found = await describeTopics(kafka.secured, ["made", "never", "made.too"])
    expect([...found.values()]).toEqual([
      { name: "made", partitions: 3, replicas: 1, behind: 0 },
      { name: "made.too", partitions: 3, replicas: 1, behind: 0 },
    ])
    expect(await createTopics(kafka.plaintext, { names: ["made"], partitions: 9, replicas: 1 })).toEqual([])
    expect((await describeTopics(kafka.plaintext, ["made"])).get("made")).toMatchObject({ partitions: 3 })
  })
})
