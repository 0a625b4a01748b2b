// `npm start`: submits emails and reports, runs a worker on them, and tells what became of each.
import { millrace } from "millrace"
import { type Ended, follow } from "./follow.ts"
import { handlers } from "./handlers.ts"
import { submitAll } from "./submit-all.ts"

// Unset: a PostgreSQL in ./.millrace, and an error in production.
const mill = await millrace({ database: process.env.DATABASE_URL, logLevel: "silent" })
const ids = await submitAll(mill)
console.log(`${ids.length} jobs are in the queue, and nobody works yet.`)

const startedAt = performance.now()
const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
const outcome = ({ result, error }: Ended) => (result ? JSON.stringify(result) : error)
const retried = ({ retryCount }: Ended) => (retryCount > 1 ? `, at attempt ${retryCount + 1}` : "")
const line = (job: Ended) =>
  `${seconds()} s  ${job.status.padEnd(9)}  ${job.priority.padEnd(8)}  ${job.type.padEnd(15)}  ${outcome(job)}${retried(job)}`

console.log(
  "Of ten claims six are for critical jobs, three for high, one for normal: the urgent go first, and none waits for ever.",
)
// One at a time: the order of the lines is the order of the claims.
await mill.work(handlers, { concurrency: 1 })
const jobs = await follow(mill, ids, (job) => console.log(line(job)))

const failed = jobs.filter(({ status }) => status === "FAILED")
console.log(
  `${jobs.length - failed.length} are done. ${failed.length} are dead letters: replay them when their cause is mended.`,
)
await mill.stop()
