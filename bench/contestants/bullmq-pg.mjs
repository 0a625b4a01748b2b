// BullMQ on its own PostgreSQL backend: finished jobs are kept; nested children are its sequential steps.
import * as bullmq from "bullmq"
import { callConcurrently, until } from "../measure/wait.mjs"
import { openPool, settle } from "../postgres/database.mjs"
import { packageVersion } from "./index.mjs"

export const version = packageVersion("bullmq")

const backend = bullmq.createPostgresBackend
const CONCURRENCY = { drain: 100, latency: 24, steady: 32, workflows: 100 }
const QUEUE = "q"
const UNFINISHED = ["wait", "active", "prioritized", "delayed", "waiting-children"]
const ignore = () => {}

export async function create({ dsn }) {
  const connection = { connectionString: dsn, max: 30, migrate: true }
  const queue = new bullmq.Queue(QUEUE, { connection }, backend)
  await queue.waitUntilReady()
  const pool = openPool(dsn, 2)

  const target = {
    settings: { pool: connection.max, concurrency: CONCURRENCY },
    startOne: (data) => queue.add("noop", data),
    startMany: (list) => queue.addBulk(list.map((data) => ({ name: "noop", data }))),
    async work({ onJob, profile }) {
      const options = { connection, concurrency: CONCURRENCY[profile] }
      const worker = new bullmq.Worker(QUEUE, async (job) => void onJob(job.data), options, backend)
      worker.on("error", ignore)
      await worker.waitUntilReady()
      return { stop: () => worker.close(true) }
    },
    // It has no cheaper question.
    async anyUnfinished() {
      const counts = await queue.getJobCounts(...UNFINISHED)
      return Object.values(counts).some((count) => count > 0)
    },
    settle: () => settle(pool),
    async workflows({ steps }) {
      const worker = await target.work({ onJob: ignore, profile: "workflows" })
      const producer = new bullmq.FlowProducer({ connection }, backend)
      const tree = chain(steps)
      const run = async (n) => {
        await callConcurrently({ callers: 32, n }, () => producer.add(tree))
        await until(async () => !(await target.anyUnfinished()), { everyMs: 10 })
      }
      const stop = async () => {
        await worker.stop()
        await producer.close().catch(ignore)
      }
      return { run, stop }
    },
    async close() {
      await queue.close().catch(ignore)
      await pool.end()
    },
  }
  return target
}

// A parent waits for its children, so the innermost child is the first step.
const chain = (steps) => ({
  name: `s${steps}`,
  queueName: QUEUE,
  data: {},
  children: steps > 1 ? [chain(steps - 1)] : undefined,
})
