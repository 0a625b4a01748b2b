// The only file that knows how Millrace is opened, started and worked with: in process, and over REST with its SDK.
//
// Both doors give the same five things: upload, startOne, startMany, work, close.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { freePort } from "../measure/free-port.mjs"
import { sleep } from "../measure/wait.mjs"

const ENGINE = new URL("../../engine/", import.meta.url)
const SDK = new URL("../../sdks/typescript/dist/index.js", import.meta.url)

export const version = JSON.parse(readFileSync(new URL("package.json", ENGINE), "utf8")).version

/** SQL that counts instances not yet in a final status. */
export const COUNT_UNFINISHED =
  "select count(*)::int as n from millrace.instances where status in ('ACTIVE', 'WAITING')"

export async function openInProcess({ dsn }) {
  const { openEngine } = await import(new URL("dist/index.js", ENGINE))
  if (!openEngine) throw new Error("engine/dist/index.js exports no openEngine")
  const engine = await openEngine({ dsn })
  return {
    upload: (definition) => engine.uploadDefinition(definition),
    startOne: (definitionId, variables) => engine.startInstance({ definitionId, variables }),
    startMany: (definitionId, list) =>
      Promise.all(list.map((variables) => engine.startInstance({ definitionId, variables }))),
    work: ({ jobTypes, concurrency, handle }) => engine.work({ handlers: handlersOf(jobTypes, handle), concurrency }),
    close: () => engine.stop(),
  }
}

/** Step lists in this process: restarted as a whole, resumed step by step, or written as a function. */
export async function openLists({ dsn, steps, mode }) {
  const { millrace, step, workflow } = await import(new URL("dist/index.js", ENGINE))
  const mill = await millrace({ database: dsn })
  const names = Array.from({ length: steps }, (_, k) => `s${k + 1}`)
  const list = { steps: names.map((name) => step(name, () => undefined)), recover: mode }
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
  const client = new EngineClient({ baseUrl: server.url })
  return {
    url: server.url,
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

async function startServer(dsn) {
  const [restPort, metricsPort] = [await freePort(), await freePort()]
  const env = {
    PATH: process.env.PATH,
    WE_POSTGRES_DSN: dsn,
    WE_REST_PORT: String(restPort),
    WE_METRICS_PORT: String(metricsPort),
    WE_LOG_LEVEL: "error",
  }
  const cli = fileURLToPath(new URL("dist/cli.js", ENGINE))
  const command = ["--pdeathsig", "TERM", process.execPath, cli, "start"]
  const server = spawn("setpriv", command, { env, stdio: ["ignore", "ignore", "inherit"] })
  const exited = new Promise((resolve) => server.once("exit", resolve))
  const url = `http://127.0.0.1:${restPort}`
  for (let failures = 0; !(await isReady(url)); failures++) {
    if (failures > 100 || server.exitCode !== null) throw new Error("millrace start did not become ready")
    await sleep(100)
  }
  const stop = async () => {
    server.kill("SIGTERM")
    await Promise.race([exited, sleep(5000)])
    if (server.exitCode === null) server.kill("SIGKILL")
  }
  return { url, stop }
}

const isReady = (url) =>
  fetch(`${url}/readyz`)
    .then((response) => response.ok)
    .catch(() => false)
