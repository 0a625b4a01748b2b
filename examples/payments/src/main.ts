// `npm start`: starts what is missing, makes some payments, and says where everything is until Ctrl-C.
import { parseArgs } from "node:util"
import { openStage } from "./stage/stage.ts"

const USAGE = `Payments on PostgreSQL, Redis and Kafka. Starts what is missing and runs until Ctrl-C.

  npm run payments [-- options]

  --no-kafka     events go through PostgreSQL alone, also where Java is there
  --no-redis     answers and locks are kept in the API's memory, also where Redis is there
  --help         this text

DATABASE_URL and REDIS_URL name servers that are there already, PORT the port of the API.`

const { values } = parseArgs({
  allowNegative: true,
  options: { kafka: { type: "boolean" }, redis: { type: "boolean" }, help: { type: "boolean" } },
})

if (values.help) console.log(USAGE)
else await run()

async function run(): Promise<void> {
  const { apiUrl, providerUrl, kafka } = await openStage({ kafka: values.kafka, redis: values.redis, say: console.log })
  console.log(`API        ${apiUrl}    GET /health, /metrics, /payments/{id}; POST /payments, /webhooks
provider   ${providerUrl}    GET /totals, /ledger
Kafka      ${kafka?.brokers ?? "not used"}

curl -s ${apiUrl}/payments -H 'content-type: application/json' -H 'idempotency-key: order-1' \\
  -d '{"amount": "12.50", "currency": "EUR"}'

Ctrl-C ends it and removes what it has started.`)
}
