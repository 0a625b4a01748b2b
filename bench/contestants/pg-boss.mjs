// pg-boss: keeps finished jobs in its one table; a chain of dependent jobs is the nearest it has to a workflow.
import { PgBoss } from "pg-boss"
import { callConcurrently, until } from "../measure/wait.mjs"
import { exists, openPool, settle } from "../postgres/database.mjs"
import { cloneFinishedRow } from "./clone-row.mjs"
import { packageVersion } from "./index.mjs"

export const version = packageVersion("pg-boss")

const PROFILES = {
  drain: { batchSize: 5000, localConcurrency: 2, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
  latency: { batchSize: 1, localConcurrency: 8, pollingIntervalSeconds: 0.5 },
  steady: { batchSize: 100, localConcurrency: 4, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
  workflows: { batchSize: 1000, localConcurrency: 2, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
}
const QUEUE = "q"

export async function create({ dsn, workload }) {
  // Its maintenance is off while speed is measured (that only helps it) and on, as by default, where quiet is.
  const upkeep = workload === "quiet"
  // Single sends are faster without NOTIFY where nobody listens. A job freed by the one it depends on is not announced,
  // and a notified worker polls only every 30 s: chains need plain polling.
  const notify = !["start", "workflows", "jobs-single", "jobs-bulk"].includes(workload)
  const boss = new PgBoss({
    connectionString: dsn,
    max: 32,
    useListenNotify: notify,
    supervise: upkeep,
    schedule: upkeep,
  })
  boss.on("error", (error) => console.error("pg-boss:", error.message))
  await boss.start()
  await boss.createQueue(QUEUE, { notify, retryLimit: 0 })
  const pool = openPool(dsn, 2)

  const target = {
    settings: { ...PROFILES, notify, supervise: upkeep },
    startOne: (data) => boss.send(QUEUE, data),
    startMany: (list) =>
      boss.insert(
        QUEUE,
        list.map((data) => ({ data })),
      ),
    async work({ onJob, profile }) {
      await boss.work(QUEUE, PROFILES[profile], async (jobs) => {
        for (const job of jobs) onJob(job.data)
      })
      return { stop: () => boss.offWork(QUEUE, { wait: false }).catch(() => {}) }
    },
    anyUnfinished: () => exists(pool, "select from pgboss.job where name = $1 and state < 'completed'", [QUEUE]),
    settle: () => settle(pool),
    async workflows({ steps }) {
      const chain = Array.from({ length: steps }, (_, k) => ({
        ref: `s${k}`,
        name: QUEUE,
        data: {},
        dependsOn: k ? [`s${k - 1}`] : undefined,
      }))
      const worker = await target.work({ onJob: () => {}, profile: "workflows" })
      const run = async (n) => {
        await callConcurrently({ callers: 32, n }, () => boss.flow(chain))
        await until(async () => {
          await boss.resolveFlow() // frees dependent jobs; its own timer does so once in 1 to 5 s
          return !(await target.anyUnfinished())
        })
      }
      return { run, stop: worker.stop }
    },
    async prefillFinished(n) {
      await boss.insert(QUEUE, [{ data: { i: 0 } }])
      const [job] = await boss.fetch(QUEUE)
      await boss.complete(QUEUE, job.id)
      await cloneFinishedRow(pool, { schema: "pgboss", table: "job", key: "id", where: "state = 'completed'", n })
    },
    async close() {
      await boss.stop({ graceful: false, close: true }).catch(() => {})
      await pool.end()
    },
  }
  return target
}
