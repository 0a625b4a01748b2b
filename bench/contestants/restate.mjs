// Restate: a server of its own (no PostgreSQL) that calls the service in this process over HTTP/2, all on loopback.
import { spawn } from "node:child_process"
import { mkdtempSync, openSync, rmSync } from "node:fs"
import http from "node:http"
import http2 from "node:http2"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as restate from "@restatedev/restate-sdk"
import { freePort } from "../measure/free-port.mjs"
import { callConcurrently, sleep, until } from "../measure/wait.mjs"
import { packageVersion } from "./index.mjs"

const SERVER = "@restatedev/restate-server-linux-x64"
export const version = `${packageVersion("@restatedev/restate-sdk")}, server ${packageVersion(SERVER)}`

const BINARY = fileURLToPath(new URL(`../node_modules/${SERVER}/bin/restate-server`, import.meta.url))
const PARTITIONS = 4
const CONCURRENT_WORKFLOWS = 100

export async function create({ directory }) {
  let handler = () => {}
  const service = restate.service({
    name: "Bench",
    handlers: { job: async (_context, payload) => void handler(payload), flow: runSteps },
  })
  const server = await startServer(directory)
  const endpoint = await serve(service)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 200 })
  const call = (path, body) => post({ agent, port: server.ingressPort, path, body })
  await eventually(() => server.admin("/deployments", { uri: `http://127.0.0.1:${endpoint.address().port}` }))
  await eventually(() => call("/Bench/flow", 1))

  const startOne = (payload) => call("/Bench/job/send", payload)
  const target = {
    settings: { partitions: PARTITIONS, concurrentWorkflows: CONCURRENT_WORKFLOWS, ingress: "HTTP/1.1 keep-alive" },
    storePid: server.pid,
    startOne,
    startMany: (payloads) => callConcurrently({ callers: 64, n: payloads.length }, (k) => startOne(payloads[k])),
    async work({ onJob }) {
      handler = onJob
      return { stop: async () => {} }
    },
    async anyUnfinished() {
      const query = "select id from sys_invocation where status <> 'completed' limit 1"
      return (await server.admin("/query", { query })).rows.length > 0
    },
    // There is no queue to hold work back in, so starts and executions overlap.
    async startAndDrain(n) {
      let handled = 0
      handler = () => handled++
      await callConcurrently({ callers: 64, n }, (i) => startOne({ i }))
      await until(() => handled >= n)
      await until(async () => !(await target.anyUnfinished()), { everyMs: 10 })
    },
    async workflows({ steps }) {
      const run = (n) => callConcurrently({ callers: CONCURRENT_WORKFLOWS, n }, () => call("/Bench/flow", steps))
      return { run, stop: async () => {} }
    },
    async close() {
      agent.destroy()
      endpoint.close()
      await server.stop()
    },
  }
  return target
}

async function runSteps(context, steps) {
  let last
  for (let k = 0; k < steps; k++) last = await context.run(`s${k}`, async () => k)
  return last
}

async function startServer(parentDirectory) {
  const directory = mkdtempSync(join(parentDirectory, "restate-"))
  const [ingressPort, adminPort, nodePort] = [await freePort(), await freePort(), await freePort()]
  const env = {
    PATH: process.env.PATH,
    RESTATE_DISABLE_TELEMETRY: "true",
    DO_NOT_TRACK: "1",
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${nodePort}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${nodePort}/`,
    RESTATE_DEFAULT_NUM_PARTITIONS: String(PARTITIONS),
    RESTATE_LOG_FILTER: "warn",
  }
  const log = openSync(join(directory, "log"), "w")
  const command = ["--pdeathsig", "TERM", BINARY, "--base-dir", directory, "--no-logo"]
  const server = spawn("setpriv", command, { env, stdio: ["ignore", log, log] })
  const exited = new Promise((resolve) => server.once("exit", resolve))
  return {
    pid: server.pid,
    ingressPort,
    admin: (path, body) => fetchJson(`http://127.0.0.1:${adminPort}${path}`, body),
    async stop() {
      server.kill("SIGTERM")
      await Promise.race([exited, sleep(3000)])
      if (server.exitCode === null) server.kill("SIGKILL")
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function serve(service) {
  const handle = restate.createEndpointHandler({ services: [service], logger: () => {} })
  const server = http2.createServer(handle)
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

async function eventually(attempt) {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (failures > 100) throw error
      await sleep(150)
    }
  }
}

async function fetchJson(url, body) {
  const headers = { "content-type": "application/json", accept: "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}

// node:http with keep-alive rather than fetch: the client's own cost should stay small beside the server's.
function post({ agent, port, path, body }) {
  const payload = JSON.stringify(body)
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, path, method: "POST", agent, headers }, (response) => {
      let text = ""
      response.on("data", (chunk) => {
        text += chunk
      })
      response.on("end", () =>
        response.statusCode < 300 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`)),
      )
    })
    request.on("error", reject)
    request.end(payload)
  })
}
