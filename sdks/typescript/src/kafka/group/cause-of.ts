// Finds in an error of Kafka's client what is wrong.

/** What the client, Node and TLS put on their errors. */
interface Failure {
  readonly code?: unknown
  readonly apiId?: unknown
  readonly message?: string
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
}

/**
 * user, mechanism, no-password: what the broker says of the login. topic-right, cluster-right, group-right: what the user may not.
 * untrusted, expired, other-name: the broker's certificate. protocol: the port speaks something else. mixed-group: members of the group
 * share out partitions in different ways. away: no broker answers.
 */
export type KafkaCause =
  | "user"
  | "mechanism"
  | "no-password"
  | "topic-right"
  | "cluster-right"
  | "group-right"
  | "unknown-topic"
  | "untrusted"
  | "expired"
  | "other-name"
  | "protocol"
  | "mixed-group"
  | "away"

const BY_API: Readonly<Record<string, KafkaCause>> = {
  SASL_AUTHENTICATION_FAILED: "user",
  UNSUPPORTED_SASL_MECHANISM: "mechanism",
  ILLEGAL_SASL_STATE: "no-password",
  TOPIC_AUTHORIZATION_FAILED: "topic-right",
  CLUSTER_AUTHORIZATION_FAILED: "cluster-right",
  GROUP_AUTHORIZATION_FAILED: "group-right",
  UNKNOWN_TOPIC_OR_PARTITION: "unknown-topic",
  INCONSISTENT_GROUP_PROTOCOL: "mixed-group",
}

const BY_CODE: Readonly<Record<string, KafkaCause>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "untrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "untrusted",
  CERT_SIGNATURE_FAILURE: "untrusted",
  CERT_HAS_EXPIRED: "expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "other-name",
  PLT_KFK_AUTHENTICATION: "user",
  EPROTO: "protocol",
}

const BY_MESSAGE: readonly (readonly [RegExp, KafkaCause])[] = [
  [/^Unknown topic /, "unknown-topic"],
  [/TLS handshake failed|before secure TLS connection/, "protocol"],
  [/^Connection closed/, "protocol"],
  [/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|timed out|Cannot connect to any broker/, "away"],
]

/** Undefined for what none of them explains. */
export function causeOf(error: unknown): KafkaCause | undefined {
  const failures = withInner(error)
  return (
    first(failures, ({ apiId }) => BY_API[String(apiId)]) ??
    first(failures, ({ code }) => BY_CODE[String(code)]) ??
    first(BY_MESSAGE, ([pattern, cause]) =>
      failures.some(({ message = "" }) => pattern.test(message)) ? cause : undefined,
    )
  )
}

/** The error, what it wraps, and what those wrap. */
export function withInner(error: unknown, depth = 0): Failure[] {
  if (typeof error !== "object" || error === null || depth > 8) return []
  const failure = error as Failure
  return [failure, ...[failure.cause, ...(failure.errors ?? [])].flatMap((inner) => withInner(inner, depth + 1))]
}

/** What the innermost error says. */
export const innermostMessage = (error: unknown): string | undefined =>
  withInner(error)
    .map(({ message }) => message)
    .filter(Boolean)
    .at(-1)

function first<T>(items: readonly T[], find: (item: T) => KafkaCause | undefined): KafkaCause | undefined {
  for (const item of items) {
    const found = find(item)
    if (found) return found
  }
  return undefined
}
