// Says in a line why Kafka cannot be used, with what to do.
import { causeOf, innermostMessage, type KafkaCause } from "./group/cause-of.ts"

const LACKS_RIGHT = "the user lacks a right on the topic or its consumer group: grant it there"

const ADVICE: Readonly<Record<KafkaCause, string>> = {
  user: "it refused the user or the password: correct kafka.username and kafka.password",
  mechanism: "it does not take this mechanism: correct kafka.mechanism",
  "no-password": "it asks for no password at this port: use the port of its SASL_SSL listener",
  "topic-right": LACKS_RIGHT,
  "cluster-right": LACKS_RIGHT,
  "group-right": LACKS_RIGHT,
  "unknown-topic": "the topic does not exist: `millrace kafka topics` makes it",
  untrusted: "TLS does not trust its certificate: name the authority in kafka.caPath",
  expired: "its certificate has expired: renew it there",
  "other-name": "its certificate has another name: give that as kafka.serverName",
  protocol: "its port does not speak what kafka.transport says",
  "mixed-group": "members of another kind are in the consumer group: workers of a job type are of one SDK",
  away: "no broker answers: start it, or correct kafka.brokers",
}

/** `brokers` are those that were asked. */
export function explainFailure(error: unknown, brokers: readonly string[], topic: string): string {
  const cause = causeOf(error)
  const said = cause ? ADVICE[cause] : (innermostMessage(error) ?? String(error))
  return `Kafka at ${brokers.join(",")}, topic ${topic}: ${said}`
}
