// The only file that knows how Millrace is opened, started and worked with: in process, and over REST with its SDK.
//
// Both doors give the same five things: upload, startOne, startMany, work, close. Standalone jobs have a door of their own.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { freePort } from "../measure/free-port.mjs"
import { sleep } from "../measure/wait.mjs"
import { ENGINE } from "./engine-folder.mjs"

export const SDK = new URL("../../sdks/typescript/dist/index.js", import.meta.url)

export const version = JSON.parse(readFileSync(new URL("package.json", ENGINE), "utf8")).version

/** SQL that finds instances not yet in a final status. */
export const UNFINISHED = "select from millrace.instances where status in ('ACTIVE', 'WAITING')"

/** SQL that counts instances by status, the finished ones too. */
export const COUNT_BY_STATUS = `select status, count(*)::int as n
  from (select status from millrace.instances union all select status from millrace.finished_instances) all_of_them
  group by status`

/** SQL that finds standalone jobs that have not ended. Older builds keep all of them in one table. */
export async function liveJobsOf(pool) {
  const { rows } = await pool.query("select to_regclass('millrace.live_jobs') is not null as packs")
  return `select from millrace.${rows[0].packs ? "live_jobs" : "jobs"} where execution = 0`
}

/** SQL that says where the gates shut ($1) and open ($2): what PUT /queues/watermarks does; the library has no word for it. */
export const SET_WATERMARKS = "update millrace.gates set high = $1, low = $2"

export async function openInProcess({ dsn }) {
  const { openEngine, millrace } = await import(new URL("dist/index.js", ENGINE))
  const { upload, start, work, stop } = openEngine
    ? doorOfBefore(await openEngine({ dsn }))
    : doorOf(await millrace({ database: dsn }))
  return {
    upload,
    startOne: start,
    startMany: (definitionId, list) => Promise.all(list.map((variables) => start(definitionId, variables))),
    work: ({ jobTypes, concurrency, handle }) => work({ handlers: handlersOf(jobTypes, handle), concurrency }),
    close: stop,
  }
}

const doorOf = (mill) => ({
  upload: (definition) => mill.definitions.upload(definition),
  start: (definitionId, variables) => mill.start(definitionId, variables),
  work: (options) => mill.work(options),
  stop: () => mill.stop(),
})

/** Builds from before definitions went through `mill`: measured beside newer ones by MILLRACE_ENGINE_DIR. */
const doorOfBefore = (engine) => ({
  upload: (definition) => engine.uploadDefinition(definition),
  start: (definitionId, variables) => engine.startInstance({ definitionId, variables }),
  work: async (options) => engine.work(options),
  stop: () => engine.stop(),
})

/** Standalone jobs in this process. A handler is given the payload; what it returns is not kept. */
export async function openJobs({ dsn }) {
  const { downstream, job, millrace } = await import(new URL("dist/index.js", ENGINE))
  const mill = await millrace({ database: dsn })
  const element = ([type, handle]) => job(type, async ({ payload }) => void (await handle(payload)))
  return {
    enqueue: (type, payload, options) => mill.enqueue(type, payload, options),
    enqueueMany: (type, payloads, options) => mill.enqueueMany(type, payloads, options),
    work: ({ handlers, concurrency }) => mill.work(Object.entries(handlers).map(element), { concurrency }),
    declare: (name, limits) => mill.declare(downstream(name, limits)),
    isRefusal: (error) => error.code === "backpressure",
    close: () => mill.stop(),
  }
}

/** Step lists in this process: restarted as a whole, resumed step by step, or written as a function. */
export async function openLists({ dsn, steps, mode, run = () => undefined }) {
  const { millrace, RetryableError, step, workflow } = await import(new URL("dist/index.js", ENGINE))
  const mill = await millrace({ database: dsn })
  const names = Array.from({ length: steps }, (_, k) => `s${k + 1}`)
  const fail = (delays) => {
    throw new RetryableError("a failure that passes", delays)
  }
  const list = { steps: names.map((name) => step(name, () => run({ fail }))), recover: mode }
  const call = async (run) => {
    for (const name of names) await run.step(name, () => undefined)
  }
  const flow = workflow("bench-steps", mode === "function" ? call : list)
  return {
    start: (input) => mill.start(flow, input),
    work: (options) => mill.work([flow], options),
    close: () => mill.stop(),
  }
}

const handlersOf = (jobTypes, handle) => Object.fromEntries(jobTypes.map((jobType) => [jobType, handle]))

/** The server in a process of its own, as in production; the client and the long-polling worker in this one. */
export async function openOverRest({ dsn }) {
  const { EngineClient, Runner } = await import(SDK)
  const server = await startServer(dsn)
  const client = new EngineClient({ url: server.url })
  return {
    url: server.url,
    serverPid: server.pid,
    upload: (definition) => client.uploadDefinition(definition),
    startOne: (definitionId, variables) => client.startInstance({ definitionId, variables }),
    startMany: (definitionId, list) =>
      Promise.all(list.map((variables) => client.startInstance({ definitionId, variables }))),
    async work({ jobTypes, concurrency, handle }) {
      const runner = new Runner({ client, handlers: handlersOf(jobTypes, handle), concurrency, workerId: "bench" })
      await runner.start()
      return { stop: () => runner.stop() }
    },
    close: () => server.stop(),
  }
}

export async function startServer(dsn, settings = {}) {
  const [restPort, metricsPort, grpcPort] = [await freePort(), await freePort(), await freePort()]
  const ports = { WE_REST_PORT: `${restPort}`, WE_METRICS_PORT: `${metricsPort}`, WE_GRPC_PORT: `${grpcPort}` }
  const server = runCommand(["start"], { dsn, env: { ...settings, ...ports } })
  const url = `http://127.0.0.1:${restPort}`
  for (let failures = 0; !(await isReady(url)); failures++) {
    if (failures > 600 || server.hasExited()) throw new Error("millrace start did not become ready")
    await sleep(100)
  }
  return { url, grpcUrl: `grpc://127.0.0.1:${grpcPort}`, pid: server.pid, stop: server.stop }
}

/** The worker in a process of its own: `millrace work` on the jobs in millrace-works.mjs. */
export function startWorkerProcess({ dsn, concurrency }) {
  const works = fileURLToPath(new URL("millrace-works.mjs", import.meta.url))
  const env = { MILLRACE_ENGINE_DIR: fileURLToPath(ENGINE) }
  return runCommand(["work", works, "--concurrency", String(concurrency)], { dsn, env })
}

/** `millrace …` on this database, which ends with this process. */
function runCommand(words, { dsn, env }) {
  const cli = fileURLToPath(new URL("dist/cli.js", ENGINE))
  const command = spawn("setpriv", ["--pdeathsig", "TERM", process.execPath, cli, ...words], {
    env: { PATH: process.env.PATH, WE_POSTGRES_DSN: dsn, WE_LOG_LEVEL: "error", ...env },
    stdio: ["ignore", "ignore", "inherit"],
  })
  const exited = new Promise((resolve) => command.once("exit", resolve))
  const stop = async () => {
    command.kill("SIGTERM")
    await Promise.race([exited, sleep(5000)])
    if (command.exitCode === null) command.kill("SIGKILL")
  }
  // setpriv becomes the command: the pid is its own.
  return { pid: command.pid, stop, hasExited: () => command.exitCode !== null }
}

const isReady = (url) =>
  fetch(`${url}/readyz`)
    .then((response) => response.ok)
    .catch(() => false)
