// DBOS: workflows checkpointed per step in PostgreSQL, kept after they end; queues are polled.
import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk"
import { callConcurrently, until } from "../measure/wait.mjs"
import { exists, openPool, settle } from "../postgres/database.mjs"
import { cloneFinishedRow } from "./clone-row.mjs"
import { packageVersion } from "./index.mjs"

export const version = packageVersion("@dbos-inc/dbos-sdk")

const ignore = () => {}
const logger = { info: ignore, debug: ignore, warn: ignore, error: ignore, log: ignore }
const CONCURRENT_WORKFLOWS = 200
const ENQUEUE = { queueName: "q", workflowName: "job", appVersion: "v1" }

export async function create({ dsn, workload }) {
  let handler = ignore
  DBOS.registerWorkflow(async (payload) => void handler(payload), { name: "job" })
  const flow = DBOS.registerWorkflow(runSteps, { name: "flow" })
  const poolSize = workload === "workflows" || workload.startsWith("list-") ? 50 : 20
  // The shortest useful polling interval; workerConcurrency bounds what one poll takes.
  const pollMs = ["drain", "history"].includes(workload) ? 10 : 5
  const queue = { workerConcurrency: 1000, minPollingIntervalMs: pollMs, onConflict: "always_update" }
  const store = { systemDatabaseUrl: dsn, logger }
  DBOS.setConfig({
    ...store,
    name: "bench",
    systemDatabasePoolSize: poolSize,
    listenQueues: ["q"],
    applicationVersion: "v1",
  })
  await DBOS.launch() // migrates; nothing is taken before the queue is registered
  const client = await DBOSClient.create({ ...store, systemDatabasePoolSize: 32, applicationName: "bench" })
  const pool = openPool(dsn, 4)

  const target = {
    settings: { systemDatabasePoolSize: poolSize, ...queue, concurrentWorkflows: CONCURRENT_WORKFLOWS },
    startOne: (payload) => client.enqueue(ENQUEUE, payload),
    // It has no bulk call: many enqueues inside one transaction of the caller.
    async startMany(payloads) {
      const connection = await pool.connect()
      try {
        await connection.query("begin")
        for (const payload of payloads) await client.enqueueInTransaction(connection, ENQUEUE, payload)
        await connection.query("commit")
      } finally {
        connection.release()
      }
    },
    async work({ onJob }) {
      handler = onJob
      await DBOS.registerQueue("q", queue)
      return { stop: async () => {} }
    },
    anyUnfinished: () =>
      exists(pool, "select from dbos.workflow_status where status in ('ENQUEUED', 'PENDING', 'DELAYED')"),
    settle: () => settle(pool),
    async workflows({ steps }) {
      const run = async (n) => {
        await callConcurrently({ callers: CONCURRENT_WORKFLOWS, n }, async () => {
          const handle = await DBOS.startWorkflow(flow)(steps)
          await handle.getResult()
        })
        await until(async () => !(await target.anyUnfinished()))
      }
      return { run, stop: async () => {} }
    },
    // It checkpoints every step, whatever is asked for.
    lists: ({ steps }) => target.workflows({ steps }),
    async prefillFinished(n) {
      await client.enqueue(ENQUEUE, { i: 0 })
      await pool.query("update dbos.workflow_status set status = 'SUCCESS'")
      await cloneFinishedRow(pool, {
        schema: "dbos",
        table: "workflow_status",
        key: "workflow_uuid",
        where: "status = 'SUCCESS'",
        n,
      })
    },
    async close() {
      await client.destroy()
      await DBOS.shutdown().catch(ignore)
      await pool.end()
    },
  }
  return target
}

async function runSteps(steps) {
  let last
  for (let k = 0; k < steps; k++) last = await DBOS.runStep(async () => k, { name: `s${k}` })
  return last
}
