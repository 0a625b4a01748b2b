// The settings of Kafka: where its brokers are, and how they are spoken to. Nothing of Kafka is loaded while none is set.
import { leadsToReserved } from "../model/events/event-rules.ts"
import { isTopicName } from "../model/events/topic-name.ts"
import { isBroker, isHost } from "./addresses.ts"
import { choice, integer, list, text } from "./kinds.ts"

const path = (name: string, doc: string) =>
  text<string | undefined>({
    name,
    default: undefined,
    allowed: "the path of a file",
    accepts: (value) => value.length > 0,
    doc,
  })

export const kafkaSettings = {
  kafkaSeedBrokers: list({
    name: "WE_KAFKA_SEED_BROKERS",
    default: [],
    allowed: "brokers such as kafka-1:9092, with a port each, separated by commas",
    accepts: isBroker,
    doc: "Brokers of Kafka that are asked for the others; empty is no Kafka. Needs WE_KAFKA_TRANSPORT.",
  }),
  kafkaTransport: choice<"plaintext" | "sasl_scram_tls", undefined>({
    name: "WE_KAFKA_TRANSPORT",
    default: undefined,
    values: ["plaintext", "sasl_scram_tls"],
    doc: "How Kafka is spoken to: plaintext, or sasl_scram_tls (TLS and a password). There is no default and no falling back.",
  }),
  kafkaSaslMechanism: choice({
    name: "WE_KAFKA_SASL_MECHANISM",
    default: "SCRAM-SHA-512",
    values: ["SCRAM-SHA-512", "SCRAM-SHA-256"],
    doc: "How the password is proved to Kafka, with WE_KAFKA_TRANSPORT=sasl_scram_tls.",
  }),
  kafkaSaslUsername: text<string | undefined>({
    name: "WE_KAFKA_SASL_USERNAME",
    default: undefined,
    allowed: "a user's name",
    accepts: (value) => value.length > 0,
    doc: "User of Kafka, with WE_KAFKA_TRANSPORT=sasl_scram_tls.",
  }),
  kafkaSaslPassword: text<string | undefined>({
    name: "WE_KAFKA_SASL_PASSWORD",
    default: undefined,
    secret: true,
    allowed: "a password",
    accepts: (value) => value.length > 0,
    show: () => "****",
    doc: "Password of that user; from the environment only.",
  }),
  kafkaTlsCaPath: path(
    "WE_KAFKA_TLS_CA_PATH",
    "Authority in PEM that has signed the brokers' certificates; those that Node knows unless it is set.",
  ),
  kafkaTlsServerName: text<string | undefined>({
    name: "WE_KAFKA_TLS_SERVER_NAME",
    default: undefined,
    allowed: "a host name",
    accepts: isHost,
    doc: "Name that the brokers' certificates must have, where it is not the one in their address.",
  }),
  kafkaTopicPrefix: text<string>({
    name: "WE_KAFKA_TOPIC_PREFIX",
    default: "",
    allowed:
      "letters, digits, `.`, `_` and `-`, 100 at most, and no beginning of `workflow.`, under which only the engine writes",
    accepts: (value) => isTopicName(value) && value.length <= 100 && !leadsToReserved(value),
    doc: "Put before the type of an event to make the name of its topic.",
  }),
  outboxBatchSize: integer({
    name: "WE_OUTBOX_BATCH_SIZE",
    default: 200,
    min: 1,
    max: 10_000,
    unit: "events",
    doc: "Most events that the relay hands to a sink at once; to Kafka ten times as many while more wait.",
  }),
} as const
