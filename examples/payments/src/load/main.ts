// `npm run load`: a thousand users with pauses, and what they saw; then the proof that nothing was doubled or lost.
import { parseArgs } from "node:util"
import { openDb } from "../payments/database.ts"
import { openStage } from "../stage/stage.ts"
import { stopwatch } from "../stage/stopwatch.ts"
import { type LoadReport, runLoad } from "./run-load.ts"

const USAGE = `Puts a load on the payments, waits until all are settled, and proves that none was doubled or lost.

  npm run load --workspace examples/payments [-- options]

  --users 1000     users, each pausing between its requests
  --rate 800       requests a second that all of them offer together: 8 of 10 new payments, 1 a repeat, 1 a look
  --seconds 60     for how long
  --hangs 0        share of charges that hang for 31 s before they are made; 0.1 is the slow run
  --concurrency N  charges that the worker makes at once; 64, and 1000 with hangs
  --no-kafka, --no-redis, --help

It ends with 1 when a request failed, or the books are wrong.`

const { values } = parseArgs({
  allowNegative: true,
  options: {
    users: { type: "string", default: "1000" },
    rate: { type: "string", default: "800" },
    seconds: { type: "string", default: "60" },
    hangs: { type: "string", default: "0" },
    concurrency: { type: "string" },
    kafka: { type: "boolean" },
    redis: { type: "boolean" },
    help: { type: "boolean" },
  },
})

if (values.help) console.log(USAGE)
else process.exitCode = await main()

async function main(): Promise<number> {
  const say = stopwatch()
  const concurrency = values.concurrency ?? (Number(values.hangs) > 0 ? "1000" : "64")
  const env = { PROVIDER_HANG_SHARE: values.hangs, WORKER_CONCURRENCY: concurrency }
  const stage = await openStage({ kafka: values.kafka, redis: values.redis, env, say })
  const db = openDb(stage.databaseUrl, 2)
  try {
    const options = { users: Number(values.users), rate: Number(values.rate), seconds: Number(values.seconds) }
    say(`${options.users} users offer ${options.rate} requests/s for ${options.seconds} s`)
    return tell(await runLoad(options, { ...stage, db, say }))
  } finally {
    await db.end()
    await stage.close()
  }
}

function tell({ tally, tookMs, settledMs, counts, charged, faults }: LoadReport): number {
  const ends = Object.entries(counts).map(([status, count]) => `${count} ${status}`)
  const payments = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const lines = [
    ...tally.lines(tookMs / 1_000),
    `settled    ${(settledMs / 1_000).toFixed(1)} s after the last request: ${ends.join(", ")}`,
    `duplicates ${tally.doubled.length} keys with two payments; ${payments} payments, ${charged} charged, each once`,
    ...faults.slice(0, 20).map((fault) => `FAULT      ${fault}`),
    faults.length === 0 ? "the books are right: nothing lost, nothing doubled" : `${faults.length} faults`,
  ]
  console.log(lines.join("\n"))
  return faults.length + tally.doubled.length + tally.errors > 0 ? 1 : 0
}
