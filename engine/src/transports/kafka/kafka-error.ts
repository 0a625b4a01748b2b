// Why Kafka cannot be used as it is set up, in a line that says what to do.

/**
 * away: no broker answers. credentials: the password or the user is wrong. certificate: TLS does not trust the broker.
 * protocol: the port does not speak what was asked of it. forbidden: the user lacks a right. unknown-topic: a topic is not there.
 * set-up: a setting or the client itself. other: what none of these explains.
 */
export type KafkaFault =
  | "away"
  | "credentials"
  | "certificate"
  | "protocol"
  | "forbidden"
  | "unknown-topic"
  | "set-up"
  | "other"

export class KafkaError extends Error {
  readonly fault: KafkaFault

  constructor(fault: KafkaFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = "KafkaError"
    this.fault = fault
  }
}
