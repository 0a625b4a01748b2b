// Millrace: history and audit trail kept for every instance; the worker runs in this process.
import { callConcurrently, until } from "../measure/wait.mjs"
import { exists, openPool, settle } from "../postgres/database.mjs"
import { openThroughKafka } from "./millrace-dispatch.mjs"
import { createPatient } from "./millrace-doctor.mjs"
import {
  COUNT_BY_STATUS,
  liveJobsOf,
  openInProcess,
  openLists,
  openOverRest,
  startWorkerProcess,
  UNFINISHED,
} from "./millrace-engine.mjs"
import { openOverGrpc } from "./millrace-grpc.mjs"
import { createGuarded } from "./millrace-guard.mjs"
import { keepHistory } from "./millrace-history.mjs"
import { createJobs } from "./millrace-jobs.mjs"
import { createKafka } from "./millrace-kafka.mjs"
import { createRelay } from "./millrace-relay.mjs"

export { version } from "./millrace-engine.mjs"

const CONCURRENCY = { drain: 400, latency: 24, steady: 64, workflows: 400, lists: 100 }
const ONE_STEP = "bench-one-step"
const OVER_REST = "bench-over-rest"
const REST_TO_STREAM = "bench-rest-to-stream"
const FLOW = "bench-flow"

const DOORS = { "in-process": openInProcess, rest: openOverRest, grpc: openOverGrpc, kafka: openThroughKafka }

const KINDS = {
  instances: createInstances,
  jobs: createJobs,
  doctor: createPatient,
  guard: createGuarded,
  kafka: createKafka,
  "kafka-relay": createRelay,
}

/** `kind: "jobs"` for standalone jobs, which need no definition and no instance; `"doctor"` for a large database at rest, `"guard"` for three servers with and without the guard, `"kafka"` for the way to Kafka, `"kafka-relay"` for the way from the outbox. */
export const create = ({ kind = "instances", ...options }) => KINDS[kind](options)

async function createInstances({ dsn, directory, transport = "in-process" }) {
  const engine = await DOORS[transport]({ dsn, directory, jobTypes: [`${ONE_STEP}.s1`] })
  const pool = openPool(dsn, 2)
  await engine.upload(definition(ONE_STEP, 1))
  if (transport === "grpc") for (const id of [OVER_REST, REST_TO_STREAM]) await engine.upload(definition(id, 1))

  const target = {
    settings: { transport, concurrency: CONCURRENCY },
    startOne: (variables) => engine.startOne(ONE_STEP, variables),
    /** Beside gRPC, on the same server, with a definition and a worker of its own. */
    startOverRest: (variables) => engine.startOverRest(OVER_REST, variables),
    /** For `workOnStream`, which has its jobs pushed. */
    startRestToStream: (variables) => engine.startOverRest(REST_TO_STREAM, variables),
    async workOverRest({ onJob }) {
      const handle = async (job) => void onJob(job.variables)
      return engine.workOverRest({ jobTypes: [`${OVER_REST}.s1`], concurrency: CONCURRENCY.latency, handle })
    },
    workOnStream({ onJob }) {
      const handle = async (job) => void onJob(job.variables)
      return engine.work({ jobTypes: [`${REST_TO_STREAM}.s1`], concurrency: CONCURRENCY.latency, handle })
    },
    startMany: (list) => engine.startMany(ONE_STEP, list),
    work({ onJob, profile = "latency" }) {
      const handle = async (job) => void onJob(job.variables)
      return engine.work({ jobTypes: [`${ONE_STEP}.s1`], concurrency: CONCURRENCY[profile], handle })
    },
    anyUnfinished: () => exists(pool, UNFINISHED),
    settle: () => settle(pool),
    async workflows({ steps }) {
      const flow = definition(FLOW, steps)
      await engine.upload(flow)
      let handled = 0
      const jobTypes = flow.steps.flatMap((step) => step.jobType ?? [])
      const handle = async () => void handled++
      const worker = await engine.work({ jobTypes, concurrency: CONCURRENCY.workflows, handle })
      const run = async (n) => {
        handled = 0
        await callConcurrently({ callers: 32, n }, (i) => engine.startOne(FLOW, { i }))
        await until(() => handled >= n * steps)
        await until(async () => !(await target.anyUnfinished()))
      }
      return { run, stop: worker.stop }
    },
    async lists({ steps, mode, run: runStep, concurrency = CONCURRENCY.lists }) {
      const { start, work, close } = await openLists({ dsn, steps, mode, run: runStep })
      const worker = await work({ concurrency })
      const run = async (n) => {
        await callConcurrently({ callers: concurrency, n }, (i) => start({ i }))
        await until(async () => !(await target.anyUnfinished()))
      }
      const stop = async () => {
        await worker.stop()
        await close()
      }
      return { run, stop }
    },
    async countByStatus() {
      const { rows } = await pool.query(COUNT_BY_STATUS)
      return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
    },
    anyLiveJob: async () => exists(pool, await liveJobsOf(pool)),
    async countLiveJobs() {
      const { rows } = await pool.query(`select count(*)::int as n from (${await liveJobsOf(pool)}) live`)
      return rows[0].n
    },
    workApart: ({ concurrency }) => startWorkerProcess({ dsn, concurrency }),
    url: engine.url,
    serverPid: engine.serverPid,
    query: (text, values) => pool.query(text, values),
    upload: engine.upload,
    startOf: engine.startOne,
    prefillFinished: (n) => keepHistory({ target, pool, n }),
    async close() {
      await engine.close()
      await pool.end()
    },
  }
  return target
}

// Sequential service tasks s1 … sN, each with a job type of its own, then the end.
function definition(id, steps) {
  const tasks = Array.from({ length: steps }, (_, k) => ({
    id: `s${k + 1}`,
    name: `Step ${k + 1}`,
    type: "SERVICE_TASK",
    jobType: `${id}.s${k + 1}`,
    nextStep: k + 1 < steps ? `s${k + 2}` : "end",
  }))
  return { id, name: id, steps: [...tasks, { id: "end", name: "End", type: "END" }] }
}
