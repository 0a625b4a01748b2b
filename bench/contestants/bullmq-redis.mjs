// BullMQ on a private Redis that syncs every write, as PostgreSQL does: Debian's redis-server on a free loopback port.
import { execFileSync } from "node:child_process"
import * as bullmq from "bullmq"
import { Redis } from "ioredis"
import { REDIS, startRedis } from "../measure/redis-server.mjs"
import { packageVersion } from "./index.mjs"

const serverVersion = () => /v=(\S+)/.exec(execFileSync(REDIS, ["--version"], { encoding: "utf8" }))?.[1]
export const version = `${packageVersion("bullmq")}, Redis ${serverVersion()}`

const DURABLE = { appendonly: "yes", appendfsync: "always" }
const CONCURRENCY = { drain: 200 }
const QUEUE = "q"
const UNFINISHED = ["wait", "active", "prioritized", "delayed", "waiting-children"]
const ignore = () => {}

export async function create({ directory }) {
  const server = await startRedis(directory, DURABLE)
  await checkDurable(server.port)
  const connection = { host: "127.0.0.1", port: server.port, maxRetriesPerRequest: null }
  const queue = new bullmq.Queue(QUEUE, { connection })
  queue.on("error", ignore)
  await queue.waitUntilReady()
  return {
    settings: { ...DURABLE, concurrency: CONCURRENCY },
    storePid: server.pid,
    startOne: (data) => queue.add("noop", data),
    startMany: (list) => queue.addBulk(list.map((data) => ({ name: "noop", data }))),
    async work({ onJob, profile }) {
      const worker = new bullmq.Worker(QUEUE, async (job) => void onJob(job.data), {
        connection,
        concurrency: CONCURRENCY[profile],
      })
      worker.on("error", ignore)
      await worker.waitUntilReady()
      return { stop: () => worker.close(true) }
    },
    // It has no cheaper question.
    async anyUnfinished() {
      const counts = await queue.getJobCounts(...UNFINISHED)
      return Object.values(counts).some((count) => count > 0)
    },
    async close() {
      await queue.close().catch(ignore)
      await server.stop()
    },
  }
}

/** As durable as it was told to be: a setting that it did not understand must not pass for speed. */
async function checkDurable(port) {
  const client = new Redis({ host: "127.0.0.1", port })
  for (const [name, value] of Object.entries(DURABLE)) {
    const [, actual] = await client.config("GET", name)
    if (actual !== value) throw new Error(`Redis has ${name} ${actual}, not ${value}`)
  }
  await client.quit()
}
