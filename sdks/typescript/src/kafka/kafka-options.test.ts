// Which settings of Kafka are taken, and which are refused before anything is connected.
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import type { KafkaOptions } from "./kafka-connection.ts"
import { readKafkaOptions, topicOf } from "./kafka-options.ts"

const read = (options: Partial<KafkaOptions>) =>
  readKafkaOptions({ brokers: "kafka:9092", ...options } as KafkaOptions, "w")

test("a transport has to be named: nothing falls back to plaintext", () => {
  expect(() => read({})).toThrow("kafka.transport must be plaintext or sasl_scram_tls")
  expect(() => read({ transport: "tls" as never })).toThrow("kafka.transport must be")
  expect(read({ transport: "plaintext" }).connection).not.toHaveProperty("tls")
})

test("a password is for TLS alone, and TLS asks for one", () => {
  expect(() => read({ transport: "plaintext", username: "me", password: "p" })).toThrow("kafka.username is for")
  expect(() => read({ transport: "plaintext", caPath: "/ca.pem" })).toThrow("kafka.caPath is for")
  expect(() => read({ transport: "sasl_scram_tls", username: "me" })).toThrow("needs kafka.username and kafka.password")
  const { connection } = read({ transport: "sasl_scram_tls", username: "me", password: "p", serverName: "broker" })
  expect(connection).toMatchObject({ tls: {}, tlsServerName: "broker", sasl: { mechanism: "SCRAM-SHA-512" } })
})

test("an authority that cannot be read, or is none, is refused before anything is connected", () => {
  const secured = { transport: "sasl_scram_tls", username: "me", password: "p" } as const
  expect(() => read({ ...secured, caPath: "/no/such/file" })).toThrow("cannot be read (ENOENT)")
  const caPath = fileURLToPath(import.meta.url)
  expect(() => read({ ...secured, caPath })).toThrow("no certificate in PEM")
})

test("addresses are read, also several and of IPv6", () => {
  expect(read({ transport: "plaintext", brokers: ["[::1]:9092", "a:1, b:2"] })).toMatchObject({
    brokers: ["[::1]:9092", "a:1", "b:2"],
    connection: {
      bootstrapBrokers: [
        { host: "::1", port: 9092 },
        { host: "a", port: 1 },
        { host: "b", port: 2 },
      ],
    },
  })
  for (const brokers of ["", "kafka", ":9092", "kafka:0"])
    expect(() => read({ transport: "plaintext", brokers })).toThrow("kafka.brokers must be addresses")
})

test("W-24: a job type that can have no topic is refused with the reason", () => {
  expect(topicOf("charge.card_v2-eu")).toBe("workflow.jobs.charge.card_v2-eu")
  for (const jobType of ["a:b", "ä", "a b", "x".repeat(240)])
    expect(() => topicOf(jobType)).toThrow("can have no topic")
})
