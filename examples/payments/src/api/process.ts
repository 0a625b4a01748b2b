// The API as a process of its own.
import { millrace } from "millrace"
import { MemoryAnswers } from "../idempotency/memory-answers.ts"
import { RedisAnswers } from "../idempotency/redis-answers.ts"
import { openDb } from "../payments/database.ts"
import { createTables } from "../payments/schema.ts"
import { readSettings } from "../settings.ts"
import { endInOrder } from "../stage/end-in-order.ts"
import { readHealth } from "./health.ts"
import { shopMetrics } from "./metrics.ts"
import { paymentsApi } from "./server.ts"

const settings = readSettings()
const db = openDb(settings.databaseUrl, settings.connections)
const mill = await millrace({ database: settings.databaseUrl, logLevel: settings.logLevel, maxConnections: 4 })
await createTables(db)
const answers = settings.redisUrl
  ? await RedisAnswers.open(settings.redisUrl, settings, () => {})
  : new MemoryAnswers(settings)
const { registry, created } = shopMetrics(db)

const app = paymentsApi({
  db,
  mill,
  answers,
  tell: (status) => created.inc({ status }),
  health: () => readHealth(settings, { db, answers }),
  metrics: () => registry.metrics(),
})
const url = await app.listen({ host: "127.0.0.1", port: settings.apiPort })
process.send?.({ url })

endInOrder(
  () => app.close(),
  () => mill.stop(),
  () => answers.close(),
  () => db.end(),
)
