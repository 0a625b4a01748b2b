// Finds in an error of Kafka's client what is wrong, and says it in a line with what to do.

interface Failure {
  readonly code?: unknown
  readonly apiId?: unknown
  readonly message?: string
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
}

const EXPLANATIONS: readonly (readonly [RegExp, string])[] = [
  [
    /SASL_AUTHENTICATION_FAILED|PLT_KFK_AUTHENTICATION/,
    "it refused the user or the password: correct kafka.username and kafka.password",
  ],
  [/UNSUPPORTED_SASL_MECHANISM/, "it does not take this mechanism: correct kafka.mechanism"],
  [/ILLEGAL_SASL_STATE/, "it asks for no password at this port: use the port of its SASL_SSL listener"],
  [
    /(TOPIC|GROUP|CLUSTER)_AUTHORIZATION_FAILED/,
    "the user lacks a right on the topic or its consumer group: grant it there",
  ],
  [/SELF_SIGNED|UNABLE_TO_|CERT_SIGNATURE/, "TLS does not trust its certificate: name the authority in kafka.caPath"],
  [/CERT_HAS_EXPIRED/, "its certificate has expired: renew it there"],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, "its certificate has another name: give that as kafka.serverName"],
  [/EPROTO|TLS handshake failed|before secure TLS/, "its port does not speak what kafka.transport says"],
  [
    /INCONSISTENT_GROUP_PROTOCOL/,
    "members of another kind are in the consumer group: workers of a job type are of one SDK",
  ],
  [/UNKNOWN_TOPIC_OR_PARTITION|Unknown topic/, "the topic does not exist: `millrace kafka topics` makes it"],
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|timed out|Cannot connect to any broker/,
    "no broker answers: start it, or correct kafka.brokers",
  ],
]

/** `brokers` are those that were asked. */
export function explainFailure(error: unknown, brokers: readonly string[], topic: string): string {
  const said = withInner(error).map(({ code, apiId, message }) => `${code} ${apiId} ${message}`)
  const known = EXPLANATIONS.find(([pattern]) => said.some((words) => pattern.test(words)))
  const last = withInner(error).at(-1)?.message
  return `Kafka at ${brokers.join(",")}, topic ${topic}: ${known?.[1] ?? last ?? String(error)}`
}

/** The error, what it wraps, and what those wrap. */
function withInner(error: unknown, depth = 0): Failure[] {
  if (typeof error !== "object" || error === null || depth > 8) return []
  const failure = error as Failure
  return [failure, ...[failure.cause, ...(failure.errors ?? [])].flatMap((inner) => withInner(inner, depth + 1))]
}
