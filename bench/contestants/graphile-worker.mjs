// Graphile Worker: LISTEN/NOTIFY wake-ups; a finished job is deleted, so it keeps no history and has no workflows.
import { Logger, makeWorkerUtils, run } from "graphile-worker"
import { exists, openPool, settle } from "../postgres/database.mjs"
import { packageVersion } from "./index.mjs"

export const version = packageVersion("graphile-worker")

const logger = new Logger(() => () => {})

const PROFILES = {
  // What its performance page recommends: a local queue and batched completions.
  drain: {
    concurrentJobs: 100,
    maxPoolSize: 10,
    localQueue: { size: 1000 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
  latency: { concurrentJobs: 24, maxPoolSize: 26 },
  steady: {
    concurrentJobs: 24,
    maxPoolSize: 26,
    localQueue: { size: 100 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
}

export async function create({ dsn }) {
  const pool = openPool(dsn, 32)
  const utils = await makeWorkerUtils({ pgPool: pool, logger })
  await utils.migrate()
  return {
    settings: PROFILES,
    startOne: (payload) => utils.addJob("noop", payload),
    startMany: (payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: "noop", payload }))),
    async work({ onJob, profile }) {
      const preset = { worker: { connectionString: dsn, ...PROFILES[profile] } }
      const taskList = { noop: async (payload) => onJob(payload) }
      const runner = await run({ preset, logger, noHandleSignals: true, taskList })
      return { stop: () => runner.stop().catch(() => {}) }
    },
    anyUnfinished: () => exists(pool, "select from graphile_worker._private_jobs"),
    settle: () => settle(pool),
    async close() {
      await utils.release()
      await pool.end()
    },
  }
}
