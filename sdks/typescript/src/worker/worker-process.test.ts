// C-110, F17: a worker as a process: it drains on SIGTERM, and a handler that blocks the event loop keeps its lease.
import { type ChildProcess, execFileSync, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { sampleJob } from "../test-support/samples.ts"
import { ScriptedEngine } from "../test-support/scripted-engine.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
let engine: ScriptedEngine
let worker: ChildProcess | undefined

// Node 20 does not run TypeScript, so the processes run what the package ships.
beforeAll(() => {
  const tsc = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url))
  execFileSync(process.execPath, [tsc, "--build", root], { stdio: "inherit" })
})

beforeEach(async () => {
  engine = await ScriptedEngine.start()
})

afterEach(async () => {
  worker?.kill("SIGKILL")
  await engine.stop()
})

function start(heartbeats: "inline" | "thread"): ChildProcess {
  worker = fork(join(root, "dist/test-support/worker-process.js"), [engine.url, heartbeats], { execArgv: [] })
  return worker
}

test.each(["inline", "thread"] as const)(
  "C-110: drains on SIGTERM and exits by itself (%s heartbeats)",
  async (mode) => {
    const job = sampleJob({ jobType: "wait" })
    const child = start(mode)
    const exited = once(child, "exit")
    const heard = async () => (await once(child, "message"))[0] as unknown
    engine.offer(job)
    expect(await heard()).toBe("started")
    child.kill("SIGTERM")
    expect(await heard()).toBe("stopping")
    child.send("go on")
    expect(await heard()).toEqual({ drained: true, unfinished: 0 })
    expect(await exited).toEqual([0, null])
    expect(engine.reports).toMatchObject([{ kind: "completed", jobId: job.id, variables: { waited: true } }])
  },
)

test("F17: heartbeats from a thread keep the lease of a handler that blocks the event loop", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-sdk-"))
  try {
    const until = join(folder, "go-on")
    const job = sampleJob({ jobType: "block", variables: { until } })
    start("thread")
    engine.offer(job)
    const heartbeats = () => engine.requests(`/v1/jobs/${job.id}/heartbeat`)
    await engine.until(() => heartbeats().length === 2)
    expect(heartbeats()[0]?.body).toEqual({ workerId: "process-1", leaseToken: job.leaseToken, leaseSeconds: 5 })
    writeFileSync(until, "")
    await engine.until(() => engine.reports.length === 1)
    expect(engine.reports).toMatchObject([{ kind: "completed", jobId: job.id, variables: { blocked: true } }])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
