// One engine process: the engine with its loops, workers, clients that start orders and enqueue jobs, and people who work on them.
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { loadConfig } from "../../../engine/dist/config.js"
import { openCore } from "../../../engine/dist/core.js"
import { handledAll } from "../../../engine/dist/library/authoring/handler.js"
import { NonRetryableError } from "../../../engine/dist/library/authoring/retries/error-kind.js"
import { Worker } from "../../../engine/dist/library/running/worker.js"
import {
  cancelInstance,
  completeUserTask,
  signalWait,
} from "../../../engine/dist/operations/instances/change-instance.js"
import { retryInstance } from "../../../engine/dist/operations/instances/retry-instance.js"
import { startInstance } from "../../../engine/dist/operations/instances/start/start-instance.js"
import { digestOf } from "../../../engine/dist/operations/kernel/idempotency.js"
import { asEngineError } from "../../../engine/dist/operations/kernel/run-operation.js"
import { startDispatch } from "../../../engine/dist/start-dispatch.js"
import { EngineError } from "../../../engine/dist/support/errors.js"
import { createLogger } from "../../../engine/dist/support/log.js"
import { effectsOf } from "./effects.ts"
import { engineDoor } from "./jobs/engine-door.ts"
import { jobHandlersOf, reporting } from "./jobs/handle-jobs.ts"
import { loadQueue } from "./jobs/load.ts"
import { Journal, readJournals, type StartBody, unresolved } from "./journal.ts"
import { dispatchEnvironment } from "./kafka/dispatch-mode.ts"
import type { NodeOrder } from "./nodes.ts"
import { type Random, seeded } from "./random.ts"
import { handlersOf, MOST_LOST_LEASES } from "./workload.ts"

const LEASE_MS = 2_000
const STARTS_AT_ONCE = 4
const MOST_LIVE = 250

const nodeOrder = JSON.parse(process.argv[2] ?? "{}") as NodeOrder
const { dsn, slot, life, folder, seed } = nodeOrder
const name = `engine-${slot}-${String(life).padStart(4, "0")}`
const journals = join(folder, "journals")
const random = seeded(seed + slot * 7_919 + life * 104_729)
const phase = { draining: false, stopped: false }
process.on("message", (message) => {
  if (message === "drain") phase.draining = true
  if (message === "stop") void stop()
})
// The parent is gone: so are we.
process.on("disconnect", () => process.exit(0))

const before = readJournals(journals, `engine-${slot}-`)
const earlier = unresolved(before)
const journal = new Journal(journals, name)
const env = {
  ...{ WE_POSTGRES_DSN: dsn, DB_MAX_CONNS: "8", WE_MAX_LOST_LEASES: String(MOST_LOST_LEASES) },
  ...dispatchEnvironment(nodeOrder),
}
const config = loadConfig({ env })
const core = await openCore(config, createLogger({ level: "error" }))
const { kernel } = core
await startDispatch(kernel, config, true)
const effects = effectsOf({ dsn, node: name, via: "polled" }, (what, error) => journal.sync({ op: "bug", what, error }))
async function stop(): Promise<void> {
  phase.draining = true
  phase.stopped = true
  await Promise.all([...loops, resolved])
  await worker.stop()
  await effects.close()
  await core.stop()
  journal.close()
  process.exit(0)
}

/** What the process before us does not know, it is our turn to find out: the same key again, until there is an answer. */
async function resolveEarlier(): Promise<void> {
  for (const { key, request } of earlier) await start(key, request)
}

async function startOrders(): Promise<void> {
  for (let n = 0; !phase.draining; n++) {
    await sleep(random.between(60, 140))
    if (await isBehind()) continue
    const keys = Array.from({ length: STARTS_AT_ONCE }, (_, i) => `${name}-${n}-${i}`)
    const started = keys.map((key) => {
      const request = orderOf(key, random)
      journal.sync({ op: "invoke", key, request })
      const twice = random.chance(0.15)
      return Promise.all([start(key, request), ...(twice ? [start(key, request)] : [])])
    })
    await Promise.all(started)
  }
}

/** A slow machine gets fewer orders, or the end of the run would tell how slow it is and nothing else. */
async function isBehind(): Promise<boolean> {
  const [row] = await kernel.db
    .script("select count(*) as live from millrace.instances")
    .catch(() => [{ live: MOST_LIVE }])
  return (row?.live as number) >= MOST_LIVE
}

const orderOf = (ref: string, random: Random): StartBody => ({
  definitionId: "chaos-order",
  variables: { ref, amount: random.between(1, 1_000) },
  ...(random.chance(0.1) ? { businessKey: `key-${random.between(1, 20)}` } : {}),
})

async function start(key: string, request: StartBody): Promise<void> {
  for (let tries = 0; tries < 100 && !phase.stopped; tries++) {
    try {
      const requestKey = { scope: "chaos", key, digest: digestOf(request) }
      const { id } = (await startInstance(kernel, { ...request, actor: name, requestKey })).instance
      journal.sync({ op: "ok", key, id })
      if (random.chance(0.05)) void cancelLater(id)
      return
    } catch (error) {
      const known = asEngineError(error)
      if (!(known instanceof EngineError)) return bug("start", error)
      if (known.code !== "unavailable") return journal.sync({ op: "fail", key, code: known.code })
      journal.write({ op: "info", key, error: known.message })
      await sleep(200)
    }
  }
}

async function cancelLater(id: string): Promise<void> {
  await sleep(random.between(0, 2_000))
  await attempt("cancel", id, () => cancelInstance(kernel, { instanceId: id, reason: "changed my mind", actor: name }))
}

/** People: they complete some tasks in time, signal payments, and retry what failed. */
async function workOnOrders(): Promise<void> {
  while (!phase.stopped) {
    await attempt("look for work", "", async () => {
      for (const task of await kernel.db.script(OPEN_TASKS)) await completeTask(task.id as string)
      for (const wait of await kernel.db.script(PARKED)) await signal(wait.id as string)
      for (const failed of await kernel.db.script(FAILED)) await retry(failed.id as string, failed.step as string)
    })
    await sleep(random.between(100, 300))
  }
}

const OPEN_TASKS = "select instance_id as id from millrace.user_tasks where status = 'OPEN' order by random() limit 20"
const PARKED = `select i.id from millrace.instances i, json_array_elements(i.state -> 'open') o
  where i.status = 'WAITING' and o ->> 'stepId' = 'paid' order by random() limit 40`
const FAILED = `select f.id, c ->> 'stepId' as step from millrace.finished_instances f, json_array_elements(f.state -> 'cut') c
  where f.status = 'FAILED' and c ->> 'failed' = 'true' and f.completed_at > clock_timestamp() - interval '5 s' order by random() limit 5`

async function completeTask(instanceId: string): Promise<void> {
  // Some are left to the timer.
  if (random.chance(0.5)) return
  const request = { instanceId, stepId: "approve", variables: { approve: 1 }, completedBy: name, actor: name }
  await attempt("complete task", instanceId, () => completeUserTask(kernel, request))
}

const signal = (instanceId: string) =>
  attempt("signal", instanceId, () =>
    signalWait(kernel, { instanceId, stepId: "paid", variables: { paid: 1 }, actor: name }),
  )

async function retry(instanceId: string, stepId: string): Promise<void> {
  if (random.chance(0.5)) return
  await attempt("retry", instanceId, () => retryInstance(kernel, { instanceId, stepId, actor: name }))
}

/** A refusal counts as an answer: another caller was first. */
async function attempt(what: string, id: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
    if (id !== "") journal.write({ op: "note", what, id })
  } catch (error) {
    if (!(asEngineError(error) instanceof EngineError)) bug(what, error)
  }
}

function bug(what: string, error: unknown): void {
  journal.sync({ op: "bug", what, error: String((error as Error)?.stack ?? error) })
}

process.on("uncaughtException", (error) => {
  bug("uncaught", error)
  process.exit(70)
})

const means = { random, mark: effects.mark, hopeless: NonRetryableError }
const desk = { kernel, workerId: name, journal, random, phase }
const attempts = Object.entries(handledAll(jobHandlersOf(means))).map(([type, attempt]) => [
  type,
  reporting(attempt, desk),
])
const worker = new Worker(kernel, {
  workerId: name,
  attempts: { ...handledAll(handlersOf(means)), ...Object.fromEntries(attempts) },
  concurrency: 16,
  leaseMs: LEASE_MS,
})
// What Kafka brings is for the workers that read it.
if (config.dispatchMode === "polling") worker.start()
const resolved = resolveEarlier()
const load = { name, door: engineDoor(kernel, name), journal, random, phase, bug }
const loops = [startOrders(), workOnOrders(), loadQueue(load, before)]
process.send?.("ready")
