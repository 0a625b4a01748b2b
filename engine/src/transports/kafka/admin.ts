// A short visit to Kafka as its administrator. It fails at once where the client's producers and consumers would wait for ever.
import type { Admin } from "@platformatic/kafka"
import { clientOptions, type KafkaSettings } from "./client-options.ts"
import { explainFailure } from "./explain-failure.ts"
import { loadClient } from "./load-client.ts"

const CONNECT_MS = 5_000
const REQUEST_MS = 10_000

/** Nothing is asked of a broker yet. */
export async function openAdmin(settings: KafkaSettings): Promise<Admin> {
  const { Admin } = await loadClient()
  const options = { ...clientOptions(settings), retries: 0, connectTimeout: CONNECT_MS, requestTimeout: REQUEST_MS }
  return new Admin(options)
}

/** Whatever fails comes as a KafkaError. */
export async function withAdmin<T>(settings: KafkaSettings, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = await openAdmin(settings)
  try {
    return await work(admin)
  } catch (error) {
    throw explainFailure(error, settings.kafkaSeedBrokers)
  } finally {
    // Nothing waits for the end of this: what was sent is answered, or the broker is gone.
    admin.close().catch(() => {})
  }
}

/** Throws a KafkaError unless a broker answers, takes the password and is trusted. */
export const probeKafka = (settings: KafkaSettings): Promise<{ readonly brokers: number }> =>
  withAdmin(settings, async (admin) => {
    const { brokers } = await admin.metadata({ topics: [], forceUpdate: true })
    return { brokers: brokers.size }
  })
