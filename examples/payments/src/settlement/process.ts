// The settlement worker as a process of its own: takes payment.initiated, charges, and gives up what cannot be charged.
import { millrace } from "millrace"
import { openDb } from "../payments/database.ts"
import { createTables } from "../payments/schema.ts"
import { kafkaOf, readSettings } from "../settings.ts"
import { endInOrder } from "../stage/end-in-order.ts"
import { giveUpDeadLetters } from "./give-up.ts"
import { workOf } from "./jobs.ts"
import { Provider } from "./provider.ts"
import { repeatedly } from "./repeatedly.ts"
import { subscribe } from "./subscribe.ts"

const SWEEP_EVERY_MS = 1_000
/** An attempt may outlive the provider's time-out by the transaction that concludes it. */
const TO_CONCLUDE_MS = 10_000

const settings = readSettings()
// Half of them for the transactions of the consumer, which holds each for as long as a payment takes; half for the jobs beside it.
const db = openDb(settings.databaseUrl, 2 * settings.connections)
const mill = await millrace({
  database: settings.databaseUrl,
  logLevel: settings.logLevel,
  maxConnections: settings.connections,
  kafka: kafkaOf(settings),
})
await createTables(db)
const provider = new Provider(settings.providerUrl, settings.providerTimeoutMs)
const retries = {
  most: settings.maxRetries,
  baseMs: settings.retryBaseMs,
  attemptMs: settings.providerTimeoutMs + TO_CONCLUDE_MS,
}
const till = { db, mill, provider, retries }
await subscribe(till, settings.connections)
await mill.work(workOf(till), { concurrency: settings.concurrency, leaseMs: settings.leaseMs })
const sweep = repeatedly(SWEEP_EVERY_MS, () => giveUpDeadLetters(till))
process.send?.({ url: "" })

endInOrder(
  () => sweep.stop(),
  () => mill.stop(),
  () => db.end(),
)
