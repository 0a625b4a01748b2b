// The settings of Kafka: what is accepted, what is refused alone and together, and that the password is never shown.
import { describe, expect, test } from "vitest"
import { type Config, ConfigError, describeConfig, loadConfig } from "../config.ts"

type Env = Record<string, string>

const noFile = () => {
  throw Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" })
}
const load = (env: Env, yaml?: string): Config =>
  loadConfig({ env, cpus: 2, readFile: yaml === undefined ? noFile : () => yaml })

function problemsOf(env: Env): readonly string[] {
  try {
    load(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

const PLAIN: Env = { WE_KAFKA_SEED_BROKERS: "k1:9092,10.0.0.2:9093,[::1]:9094", WE_KAFKA_TRANSPORT: "plaintext" }
const SAFE: Env = {
  WE_KAFKA_SEED_BROKERS: "k1:9093",
  WE_KAFKA_TRANSPORT: "sasl_scram_tls",
  WE_KAFKA_SASL_USERNAME: "mill",
  WE_KAFKA_SASL_PASSWORD: "s3cret",
}

describe("C-07: Kafka", () => {
  test("none by default: no brokers, no transport", () => {
    expect(load({})).toMatchObject({
      kafkaSeedBrokers: [],
      kafkaTransport: undefined,
      kafkaSaslMechanism: "SCRAM-SHA-512",
      kafkaTopicPrefix: "",
      outboxBatchSize: 200,
    })
  })

  test("plaintext, and TLS with a password", () => {
    expect(load(PLAIN)).toMatchObject({
      kafkaSeedBrokers: ["k1:9092", "10.0.0.2:9093", "[::1]:9094"],
      kafkaTransport: "plaintext",
    })
    const tls = { WE_KAFKA_TLS_CA_PATH: "/etc/ca.pem", WE_KAFKA_TLS_SERVER_NAME: "kafka.example.com" }
    expect(load({ ...SAFE, ...tls, WE_KAFKA_SASL_MECHANISM: "SCRAM-SHA-256" })).toMatchObject({
      kafkaTransport: "sasl_scram_tls",
      kafkaSaslMechanism: "SCRAM-SHA-256",
      kafkaSaslUsername: "mill",
      kafkaSaslPassword: "s3cret",
      kafkaTlsCaPath: "/etc/ca.pem",
      kafkaTlsServerName: "kafka.example.com",
    })
  })

  test.each<[string, Env, RegExp]>([
    ["a broker without a port", { ...PLAIN, WE_KAFKA_SEED_BROKERS: "k1" }, /^WE_KAFKA_SEED_BROKERS="k1".*with a port/],
    ["a port that is none", { ...PLAIN, WE_KAFKA_SEED_BROKERS: "k1:99999" }, /^WE_KAFKA_SEED_BROKERS/],
    ["a transport that is none", { ...SAFE, WE_KAFKA_TRANSPORT: "tls" }, /^WE_KAFKA_TRANSPORT="tls": must be one of/],
    [
      "brokers without a transport",
      { WE_KAFKA_SEED_BROKERS: "k1:9092" },
      /^WE_KAFKA_SEED_BROKERS=k1:9092 needs WE_KAFKA_TRANS/,
    ],
    ["a transport without brokers", { WE_KAFKA_TRANSPORT: "plaintext" }, /plaintext needs WE_KAFKA_SEED_BROKERS$/],
    ["a weak mechanism", { ...SAFE, WE_KAFKA_SASL_MECHANISM: "PLAIN" }, /^WE_KAFKA_SASL_MECHANISM="PLAIN"/],
    ["no user", { ...SAFE, WE_KAFKA_SASL_USERNAME: "" }, /needs WE_KAFKA_SASL_USERNAME$/],
    ["no password", { ...SAFE, WE_KAFKA_SASL_PASSWORD: "" }, /needs WE_KAFKA_SASL_PASSWORD$/],
    ["a password in plaintext", { ...PLAIN, WE_KAFKA_SASL_PASSWORD: "s3cret" }, /^WE_KAFKA_SASL_PASSWORD is not used/],
    ["an authority in plaintext", { ...PLAIN, WE_KAFKA_TLS_CA_PATH: "/ca" }, /^WE_KAFKA_TLS_CA_PATH is not used/],
    ["a server name with a port", { ...SAFE, WE_KAFKA_TLS_SERVER_NAME: "k:1" }, /^WE_KAFKA_TLS_SERVER_NAME/],
    ["a prefix that no topic has", { ...PLAIN, WE_KAFKA_TOPIC_PREFIX: "a b" }, /^WE_KAFKA_TOPIC_PREFIX="a b"/],
    [
      "a prefix that is reserved",
      { ...PLAIN, WE_KAFKA_TOPIC_PREFIX: "workflow." },
      /^WE_KAFKA_TOPIC_PREFIX="workflow."/,
    ],
    ["a prefix that a type completes", { ...PLAIN, WE_KAFKA_TOPIC_PREFIX: "work" }, /only the engine writes/],
    ["a batch of none", { WE_OUTBOX_BATCH_SIZE: "0" }, /^WE_OUTBOX_BATCH_SIZE="0".*from 1/],
  ])("%s is refused", (_, env, expected) => {
    const problems = problemsOf(env)
    expect(problems).toEqual([expect.stringMatching(expected)])
    expect(problems.join()).not.toContain("s3cret")
  })

  test("everything that is wrong comes at once", () => {
    expect(problemsOf({ ...SAFE, WE_KAFKA_SASL_USERNAME: "", WE_KAFKA_SASL_PASSWORD: "" })).toHaveLength(2)
  })

  test("the password comes from the environment only, and is never shown", () => {
    const { kafkaSaslPassword, warnings } = load({}, "kafkaSaslPassword: s3cret")
    expect(kafkaSaslPassword).toBeUndefined()
    expect(warnings).toEqual([expect.stringMatching(/kafkaSaslPassword is ignored, secrets come from the environment/)])
    expect(JSON.stringify(describeConfig(load(SAFE)))).not.toContain("s3cret")
  })
})
