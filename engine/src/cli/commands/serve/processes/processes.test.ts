// `millrace start --processes 2`: a parent and two engines on the same ports.
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { copyFile, mkdtemp, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createTestDatabase } from "../../../../test-support/test-engine.ts"
import { runTypeScript, type TypeScriptProcess } from "../../../../test-support/typescript-process.ts"
import { runCommand } from "../../../test-support/run-command.ts"

const CLI = new URL("../../../../cli.ts", import.meta.url)
/** The process that has the call says so before it takes the body. */
const POLL = { "content-type": "application/json", expect: "100-continue" }
const PORTS = { WE_REST_PORT: "0", WE_GRPC_PORT: "0", WE_METRICS_PORT: "0" }

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

interface LogLine {
  readonly msg: string
  readonly process?: number
  readonly pid?: number
  readonly restUrl?: string
  readonly metricsUrl?: string
  readonly reason?: string
}

/** Every line that the parent and its children have logged so far. */
function listen(child: ChildProcess): readonly LogLine[] {
  const lines: LogLine[] = []
  let begun = ""
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    const parts = (begun + text).split("\n")
    begun = parts.pop() as string
    for (const part of parts) lines.push(JSON.parse(part) as LogLine)
  })
  return lines
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("two processes on the same ports", () => {
  let started: TypeScriptProcess
  let lines: readonly LogLine[]
  let restUrl: string
  let metricsUrl: string
  const said = (msg: string) => lines.filter((line) => line.msg === msg)
  const pids = () => said("a process is running").map(({ pid }) => pid as number)
  const statuses = async (path: string, times: number) => {
    const replies = await Promise.all(Array.from({ length: times }, () => fetch(new URL(path, restUrl))))
    const count: Record<number, number> = {}
    for (const { status } of replies) count[status] = (count[status] ?? 0) + 1
    return count
  }

  beforeAll(() => {
    const env = { WE_POSTGRES_DSN: database.dsn, WE_GUARD: "on", DB_MAX_CONNS: "4", ...PORTS }
    started = runTypeScript(CLI, ["start", "--processes", "2"], env)
    lines = listen(started.child)
  })
  afterAll(() => void started.child.kill("SIGKILL"))

  test("are said to run, each with its number", async () => {
    await expect.poll(() => said("millrace is running")).toHaveLength(1)
    const [running] = said("millrace is running")
    restUrl = running?.restUrl as string
    metricsUrl = running?.metricsUrl as string
    expect(said("a process is running").map((line) => line.process)).toEqual([1, 2])
  })

  test("E-30, E-07: 150 calls at once are 100 and 50: both count in the same place", async () => {
    expect(await statuses("/v1/session", 150)).toEqual({ 200: 100, 429: 50 })
  })

  test("C-98: one page has the metrics of both, each family once", async () => {
    const text = await (await fetch(new URL("/metrics", metricsUrl))).text()
    const calls = [...text.matchAll(/^http_requests_duration_seconds_count\{.*"\/v1\/session".*process="(\d)"\}/gm)]
    expect(new Set(calls.map(([, number]) => number))).toEqual(new Set(["1", "2"]))
    expect(text.match(/^# TYPE http_requests_duration_seconds histogram$/gm)).toHaveLength(1)
  })

  test("one is killed: the other answers meanwhile, and it is started again", async () => {
    const [, second] = pids()
    process.kill(second as number, "SIGKILL")
    await expect.poll(() => said("a process has ended: it is started again, and the others go on")).toHaveLength(1)
    expect(await statuses("/healthz", 20)).toEqual({ 200: 20 })
    await expect.poll(() => pids()).toHaveLength(3)
    expect(said("a process is running").at(-1)?.process).toBe(2)
    expect(await statuses("/healthz", 20)).toEqual({ 200: 20 })
  })

  test("SIGTERM ends them all, in good order", async () => {
    started.child.kill("SIGTERM")
    // The last line of the log is written, too, though the process ends in the same turn.
    expect(await started.ended).toMatchObject({ code: 0, output: expect.stringContaining("Stopped the engine.") })
    expect(pids().filter(isAlive)).toEqual([])
  })
})

test("a parent that is killed leaves no process behind, and a call that is under way is answered", async () => {
  const env = { WE_POSTGRES_DSN: database.dsn, DB_MAX_CONNS: "4", ...PORTS }
  const { child } = runTypeScript(CLI, ["start", "--processes", "2"], env)
  const lines = listen(child)
  const pids = () => lines.filter(({ msg }) => msg === "a process is running").map(({ pid }) => pid as number)
  const running = () => lines.find(({ msg }) => msg === "millrace is running")
  await expect.poll(running).toBeDefined()
  const call = request(new URL("/v1/jobs/poll", running()?.restUrl), { method: "POST", headers: POLL })
  const answered = once(call, "response")
  const heard = once(call, "continue")
  call.flushHeaders()
  await heard
  child.kill("SIGKILL")
  call.end(JSON.stringify({ workerId: "w", jobTypes: ["none"], waitSeconds: 30 }))
  const [answer] = await answered
  expect(answer).toMatchObject({ statusCode: expect.any(Number) })
  answer.resume()
  await expect.poll(() => pids().filter(isAlive)).toEqual([])
  expect(pids()).toHaveLength(2)
})

test("one that cannot be started again, because node itself is gone for a while, does not end the others", async () => {
  const folder = await mkdtemp(join(tmpdir(), "millrace-node-"))
  const node = join(folder, "node")
  await copyFile(process.execPath, node)
  const env = { NODE: node, WE_POSTGRES_DSN: database.dsn, DB_MAX_CONNS: "4", ...PORTS }
  const { child, ended } = runTypeScript(CLI, ["start", "--processes", "2"], env)
  const lines = listen(child)
  const said = (msg: string) => lines.filter((line) => line.msg === msg)
  await expect.poll(() => said("millrace is running")).toHaveLength(1)
  await rm(node)
  process.kill(said("a process is running")[1]?.pid as number, "SIGKILL")
  const again = "a process has ended: it is started again, and the others go on"
  await expect.poll(() => said(again).some(({ reason }) => reason?.includes("ENOENT"))).toBe(true)
  expect((await fetch(new URL("/healthz", said("millrace is running")[0]?.restUrl))).status).toBe(200)
  await copyFile(process.execPath, node)
  await expect.poll(() => said("a process is running").map((line) => line.process)).toEqual([1, 2, 2])
  child.kill("SIGTERM")
  expect((await ended).code).toBe(0)
  await rm(folder, { recursive: true })
})

test("a start that fails is told once, and ends", async () => {
  const env = { WE_POSTGRES_DSN: "postgres://nobody@127.0.0.1:1/none", ...PORTS }
  const { code, output } = await runTypeScript(CLI, ["start", "--processes", "2"], env).ended
  expect(code).toBe(1)
  expect(output.match(/nothing answers/g)).toHaveLength(1)
  expect(output).toContain("process 1 has ended before it could answer")
})

test.each(["0", "65", "1000", "two", "-1"])(
  "--processes %s is refused with what it must be, and nothing is started",
  async (count) => {
    const { code, err } = await runCommand(["start", "--processes", count])
    expect(code).toBe(2)
    expect(err).toMatch(/--processes <number>.*It must be/)
  },
)
