// Where Kafka is and how it is spoken to. Plaintext is never chosen for the user: it has to be asked for by name.

/** The Kafka that the engine dispatches through. No transport is the default, and none falls back to plaintext. */
export interface KafkaOptions {
  /** Such as `kafka-1:9093`, several with commas; one is enough to find the others. */
  readonly brokers: string | readonly string[]
  /** `plaintext`, or `sasl_scram_tls`: TLS and a password. */
  readonly transport: "plaintext" | "sasl_scram_tls"
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Default SCRAM-SHA-512. */
  readonly mechanism?: "SCRAM-SHA-512" | "SCRAM-SHA-256" | undefined
  /** A file in PEM: the authority of the brokers' certificates; default those that Node trusts. */
  readonly caPath?: string | undefined
  /** The name in the certificates, where it is not that of the address. */
  readonly serverName?: string | undefined
}
