// Finds in an error of Kafka's client what is wrong, and says it in a line with what to do.
import { safeText } from "../../support/redact.ts"
import { KafkaError, type KafkaFault } from "./kafka-error.ts"

/** What the client, Node and TLS put on their errors. */
interface Failure {
  readonly code?: unknown
  readonly apiId?: unknown
  readonly message?: string
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
}

type Explanation = readonly [KafkaFault, string]

const CERTIFICATE =
  "TLS does not trust the certificate of the broker: set WE_KAFKA_TLS_CA_PATH to the authority that has signed it"
const SPEAKS_OTHERWISE =
  "the broker closed the connection: does its port speak what WE_KAFKA_TRANSPORT says (plaintext, or TLS with SASL/SCRAM)?"

const BY_API: Readonly<Record<string, Explanation>> = {
  SASL_AUTHENTICATION_FAILED: [
    "credentials",
    "Kafka refused the user or the password: correct WE_KAFKA_SASL_USERNAME and WE_KAFKA_SASL_PASSWORD",
  ],
  UNSUPPORTED_SASL_MECHANISM: [
    "credentials",
    "Kafka does not take this way to prove a password there: correct WE_KAFKA_SASL_MECHANISM",
  ],
  ILLEGAL_SASL_STATE: ["protocol", "Kafka asks for no password at this port: use the port of its SASL_SSL listener"],
  TOPIC_AUTHORIZATION_FAILED: ["forbidden", "the user of Kafka lacks a right on this topic: grant it there"],
  CLUSTER_AUTHORIZATION_FAILED: ["forbidden", "the user of Kafka lacks a right on the cluster: grant it there"],
  GROUP_AUTHORIZATION_FAILED: ["forbidden", "the user of Kafka lacks a right on this consumer group: grant it there"],
  UNKNOWN_TOPIC_OR_PARTITION: ["unknown-topic", "the topic does not exist"],
}

const BY_CODE: Readonly<Record<string, Explanation>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ["certificate", CERTIFICATE],
  SELF_SIGNED_CERT_IN_CHAIN: ["certificate", CERTIFICATE],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["certificate", CERTIFICATE],
  UNABLE_TO_GET_ISSUER_CERT: ["certificate", CERTIFICATE],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ["certificate", CERTIFICATE],
  CERT_SIGNATURE_FAILURE: ["certificate", CERTIFICATE],
  CERT_HAS_EXPIRED: ["certificate", "the certificate of the broker has expired: renew it there"],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "certificate",
    "the certificate of the broker has another name: correct WE_KAFKA_SEED_BROKERS, or name it in WE_KAFKA_TLS_SERVER_NAME",
  ],
  PLT_KFK_AUTHENTICATION: ["credentials", "Kafka refused the user: correct the settings WE_KAFKA_SASL_…"],
  EPROTO: ["protocol", SPEAKS_OTHERWISE],
}

const BY_MESSAGE: readonly (readonly [RegExp, Explanation])[] = [
  [/^Unknown topic /, ["unknown-topic", "the topic does not exist"]],
  [/TLS handshake failed|before secure TLS connection/, ["protocol", SPEAKS_OTHERWISE]],
  [/^Connection closed/, ["protocol", SPEAKS_OTHERWISE]],
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|timed out|Cannot connect to any broker/,
    ["away", "no broker of Kafka answers: start it, or correct WE_KAFKA_SEED_BROKERS"],
  ],
]

/** `brokers`: which ones were asked, for the message. */
export function explainFailure(error: unknown, brokers: readonly string[]): KafkaError {
  if (error instanceof KafkaError) return error
  const failures = withInner(error)
  const [fault, advice] =
    first(failures, ({ apiId }) => BY_API[String(apiId)]) ??
    first(failures, ({ code }) => BY_CODE[String(code)]) ??
    first(BY_MESSAGE, ([pattern, found]) =>
      failures.some(({ message = "" }) => pattern.test(message)) ? found : undefined,
    ) ??
    other(failures)
  return new KafkaError(fault, `Kafka at ${brokers.join(",")}: ${advice}`, error)
}

/** The fault that a failure stands for. */
export const faultOf = (error: unknown): KafkaFault => explainFailure(error, []).fault

/** The error, what it wraps, and what those wrap. */
export function withInner(error: unknown, depth = 0): Failure[] {
  if (typeof error !== "object" || error === null || depth > 8) return []
  const failure = error as Failure
  return [failure, ...[failure.cause, ...(failure.errors ?? [])].flatMap((inner) => withInner(inner, depth + 1))]
}

function first<T>(items: readonly T[], find: (item: T) => Explanation | undefined): Explanation | undefined {
  for (const item of items) {
    const found = find(item)
    if (found) return found
  }
  return undefined
}

const other = (failures: readonly Failure[]): Explanation => [
  "other",
  safeText(
    failures
      .map(({ message }) => message)
      .filter(Boolean)
      .at(-1) ?? "an unknown error",
  ),
]
