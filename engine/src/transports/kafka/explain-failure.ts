// Says in a line why Kafka cannot be used as it is set up, with what to do.
import { causeOf, innermostMessage, type KafkaCause } from "@millrace/sdk/kafka-group"
import { safeText } from "../../support/redact.ts"
import { KafkaError, type KafkaFault } from "./kafka-error.ts"

const ADVICE: Readonly<Record<KafkaCause, readonly [KafkaFault, string]>> = {
  user: [
    "credentials",
    "Kafka refused the user or the password: correct WE_KAFKA_SASL_USERNAME and WE_KAFKA_SASL_PASSWORD",
  ],
  mechanism: ["credentials", "Kafka does not take this way to prove a password there: correct WE_KAFKA_SASL_MECHANISM"],
  "no-password": ["protocol", "Kafka asks for no password at this port: use the port of its SASL_SSL listener"],
  "topic-right": ["forbidden", "the user of Kafka lacks a right on this topic: grant it there"],
  "cluster-right": ["forbidden", "the user of Kafka lacks a right on the cluster: grant it there"],
  "group-right": ["forbidden", "the user of Kafka lacks a right on this consumer group: grant it there"],
  "unknown-topic": ["unknown-topic", "the topic does not exist"],
  untrusted: [
    "certificate",
    "TLS does not trust the certificate of the broker: set WE_KAFKA_TLS_CA_PATH to the authority that has signed it",
  ],
  expired: ["certificate", "the certificate of the broker has expired: renew it there"],
  "other-name": [
    "certificate",
    "the certificate of the broker has another name: correct WE_KAFKA_SEED_BROKERS, or name it in WE_KAFKA_TLS_SERVER_NAME",
  ],
  protocol: [
    "protocol",
    "the broker closed the connection: does its port speak what WE_KAFKA_TRANSPORT says (plaintext, or TLS with SASL/SCRAM)?",
  ],
  "mixed-group": ["other", "members of another program are in the consumer group: choose another group"],
  away: ["away", "no broker of Kafka answers: start it, or correct WE_KAFKA_SEED_BROKERS"],
}

/** `brokers`: which ones were asked, for the message. */
export function explainFailure(error: unknown, brokers: readonly string[]): KafkaError {
  if (error instanceof KafkaError) return error
  const cause = causeOf(error)
  const [fault, advice] = cause
    ? ADVICE[cause]
    : (["other", safeText(innermostMessage(error) ?? "an unknown error")] as const)
  return new KafkaError(fault, `Kafka at ${brokers.join(",")}: ${advice}`, error)
}

/** The fault that a failure stands for. */
export const faultOf = (error: unknown): KafkaFault => explainFailure(error, []).fault
