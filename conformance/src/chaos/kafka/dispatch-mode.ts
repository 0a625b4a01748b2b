// How jobs reach their workers in one life of a process, and the settings that say so.

export type DispatchMode = "polling" | "kafka_outbox"

/** The settings for Kafka that a process gets. */
export interface DispatchOrder {
  readonly brokers?: string
  readonly mode?: DispatchMode
}

/** Nothing where the run has no broker. Leases are short, so that what a killed worker held is claimed again within the run. */
export const dispatchEnvironment = ({ brokers, mode = "polling" }: DispatchOrder): Record<string, string> =>
  brokers === undefined
    ? {}
    : {
        WE_KAFKA_SEED_BROKERS: brokers,
        WE_KAFKA_TRANSPORT: "plaintext",
        WE_DISPATCH_MODE: mode,
        WE_LEASE_DEFAULT: "5s",
      }
