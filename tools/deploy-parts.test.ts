// The parts of compose.yaml that are code of ours, run as they are there: the keys, and the worker that uses one.
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { loadConfig } from "../engine/src/config.ts"
import { type Engine, startEngine } from "../engine/src/engine.ts"
import { createLogger } from "../engine/src/support/log.ts"
import { eventually } from "../engine/src/test-support/mills.ts"
import { createTestDatabase } from "../engine/src/test-support/test-engine.ts"
import { root } from "./files.ts"

const folder = mkdtempSync(join(tmpdir(), "millrace-keys-"))
let database: { dsn: string; drop(): Promise<void> }
let engine: Engine
let worker: ChildProcess | undefined

beforeAll(async () => {
  // As npm links it in the image.
  const command = `#!/bin/sh\nexec "${process.execPath}" "${join(root, "engine/bin/millrace.js")}" "$@"\n`
  writeFileSync(join(folder, "millrace"), command, { mode: 0o755 })
  database = await createTestDatabase()
  const env = { WE_POSTGRES_DSN: database.dsn, DB_MAX_CONNS: "4", WE_AUTH: "required" }
  const config = loadConfig({ env: { ...env, WE_REST_PORT: "0", WE_METRICS_PORT: "0", WE_GRPC_PORT: "0" } })
  engine = await startEngine(config, createLogger({ level: "silent" }))
})
afterAll(async () => {
  worker?.kill("SIGKILL")
  await engine?.stop()
  await database.drop()
  rmSync(folder, { recursive: true })
})

const run = async (command: string, ...args: string[]): Promise<string> => {
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, WE_POSTGRES_DSN: database.dsn }
  return (await promisify(execFile)(command, args, { env })).stdout
}
const makeKeys = () => run("sh", join(root, "deploy/keys.sh"), folder)
const keyOf = (name: string) => readFileSync(join(folder, name), "utf8").trim()
const asked = (name: string) => ({ authorization: `Bearer ${keyOf(name)}` })

test("D-44: keys.sh makes a key for each part, which may do that and nothing else", async () => {
  expect(await makeKeys()).toBe(
    [
      "The key prometheus is made; it may do: metrics:read.",
      "The key worker is made; it may do: jobs:work.",
      "The key load is made; it may do: jobs:write jobs:read.\n",
    ].join("\n"),
  )
  const status = async (url: string, name: string) => (await fetch(url, { headers: asked(name) })).status
  expect(await status(`${engine.metricsUrl}/metrics`, "prometheus")).toBe(200)
  expect(await status(`${engine.metricsUrl}/metrics`, "worker")).toBe(403)
  expect(await status(`${engine.restUrl}/queues/metrics`, "load")).toBe(200)
  expect(await status(`${engine.restUrl}/v1/instances`, "load")).toBe(403)
  // Prometheus is another user in its container.
  expect(statSync(join(folder, "prometheus")).mode & 0o777).toBe(0o644)
})

test("D-44: a key that counts is kept; one that does not, or is of another database, is made anew", async () => {
  const [prometheus, workers] = [keyOf("prometheus"), keyOf("worker")]
  await run(join(folder, "millrace"), "keys", "revoke", prometheus.split("_")[1] as string)
  writeFileSync(join(folder, "load"), "mill_0000000000000000_x_y\n")
  const said = await makeKeys()
  expect(said).toMatch(/prometheus is made.*\n.*worker is there\.\n.*load is made/)
  expect(keyOf("prometheus")).toMatch(/^mill_[0-9a-f]{16}_\S+$/)
  expect(keyOf("prometheus")).not.toBe(prometheus)
  expect(keyOf("worker")).toBe(workers)
})

test("D-44, D-22: the worker works with its key, and ends on SIGTERM", async () => {
  worker = spawn(process.execPath, [join(root, "deploy/worker/worker.mjs")], {
    env: { ...process.env, MILLRACE_URL: engine.restUrl, MILLRACE_KEY_FILE: join(folder, "worker") },
    stdio: "ignore",
  })
  const ended = once(worker, "exit")
  const headers = { "content-type": "application/json", ...asked("load") }
  const submit = async (payload: object): Promise<string> => {
    const body = JSON.stringify({ payload, max_retries: 0 })
    const response = await fetch(`${engine.restUrl}/jobs`, { method: "POST", headers, body })
    return ((await response.json()) as { id: string }).id
  }
  const outcome = async (id: string) => (await fetch(`${engine.restUrl}/jobs/${id}`, { headers })).json()
  const sent = await submit({ type: "send_email", to: "ada@example.org" })
  const lost = await submit({ type: "send_email", to: "nowhere" })
  const report = await submit({ type: "generate_report", month: "May" })
  await eventually(() => outcome(sent)).toMatchObject({ status: "COMPLETED", result: { sent: true } })
  await eventually(() => outcome(lost)).toMatchObject({ status: "FAILED", error: "nowhere is no address" })
  await eventually(() => outcome(report)).toMatchObject({
    status: "COMPLETED",
    result: { report_id: expect.stringMatching(/^report-./) },
  })
  worker.kill("SIGTERM")
  expect(await ended).toEqual([0, null])
})
