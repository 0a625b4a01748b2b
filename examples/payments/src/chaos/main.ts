// `npm run chaos`: kills API, worker, relay, broker and database at random while payments are made, and proves that nothing was lost.
import { parseArgs } from "node:util"
import { openDb } from "../payments/database.ts"
import { openStage } from "../stage/stage.ts"
import { stopwatch } from "../stage/stopwatch.ts"
import { startObserver } from "./observer.ts"
import { type ChaosReport, runChaos } from "./run-chaos.ts"
import { seeded } from "./seeded.ts"

const USAGE = `Kills API, worker, relay, broker and database with -9, at random, while payments are made. Then proves that every accepted
payment has ended, that the provider charged each at most once, and that every event was processed once and in order.

  npm run chaos --workspace examples/payments [-- options]

  --minutes 5      for how long
  --short          15 s, or longer until the order of events was put to the test; for CI
  --every 3        seconds between the return of one part and the death of the next
  --buyers 8       who pay, and ask again until they are answered
  --seed N         of the killer's choices; printed at the start
  --no-kafka, --no-redis, --help

It ends with 1 when something was lost, doubled or stuck.`

const { values } = parseArgs({
  allowNegative: true,
  options: {
    minutes: { type: "string", default: "5" },
    short: { type: "boolean" },
    every: { type: "string", default: "3" },
    buyers: { type: "string", default: "8" },
    seed: { type: "string" },
    kafka: { type: "boolean" },
    redis: { type: "boolean" },
    help: { type: "boolean" },
  },
})

/** Time-outs, retries and leases as in real life, a tenth as long. */
const HASTE = {
  PROVIDER_HANG_SECONDS: "3.1",
  PROVIDER_TIMEOUT_SECONDS: "1",
  RETRY_BASE_SECONDS: "0.2",
  WORKER_LEASE_SECONDS: "3",
  // Many are declined, so that many are tried again and have several events of each type.
  PROVIDER_SUCCESS_SHARE: "0.6",
  // What is killed leaves errors in the logs of the others, and they are no news.
  LOG_LEVEL: "silent",
}
const SHORT_SECONDS = 15

if (values.help) console.log(USAGE)
else process.exitCode = await main()

async function main(): Promise<number> {
  const say = stopwatch()
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000))
  const stage = await openStage({ kafka: values.kafka, redis: values.redis, env: HASTE, say })
  const db = openDb(stage.databaseUrl, 2)
  const observer = await startObserver(stage.databaseUrl, stage.kafka?.brokers)
  try {
    const seconds = values.short ? SHORT_SECONDS : Number(values.minutes) * 60
    say(`${values.buyers} buyers for ${seconds} s; --seed ${seed}`)
    const everyMs = Number(values.every) * 1_000
    const options = { seconds, everyMs, buyers: Number(values.buyers), random: seeded(seed) }
    return tell(await runChaos(options, { stage, db, observer, say }))
  } finally {
    await observer.close()
    await db.end()
    await stage.close()
  }
}

function tell({ accepted, deaths, counts, asked, charged, compared, faults }: ChaosReport): number {
  const killed = [...deaths].map(([name, times]) => `${name} ${times}`).join(", ")
  const ends = Object.entries(counts).map(([status, count]) => `${count} ${status}`)
  const lines = [
    `killed    ${killed}`,
    `accepted  ${accepted}: ${ends.join(", ")}`,
    `provider  asked ${asked} times, charged ${charged}`,
    `order     ${compared.ofPayment} events followed another of their payment, ${compared.ofType} one of their type as well`,
    ...faults.slice(0, 20).map((fault) => `FAULT     ${fault}`),
    faults.length === 0
      ? "nothing lost, nothing stuck, nothing charged or processed twice, order kept"
      : `${faults.length} faults`,
  ]
  console.log(lines.join("\n"))
  return faults.length === 0 ? 0 : 1
}
