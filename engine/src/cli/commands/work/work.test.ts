// `millrace work`: what is ready and no more, in time; and a stop that finishes what runs.
import type { ChildProcess } from "node:child_process"
import { EventEmitter, once } from "node:events"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { enqueueJob } from "../../../operations/jobs/enqueue/enqueue-job.ts"
import { getJob } from "../../../operations/jobs/read-jobs.ts"
import { gate } from "../../../test-support/mills.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { runTypeScript } from "../../../test-support/typescript-process.ts"
import { runCommand } from "../../test-support/run-command.ts"
import { hooks } from "../../test-support/works.ts"

const MODULE = fileURLToPath(new URL("../../test-support/works.ts", import.meta.url))
const CLI = new URL("../../../cli.ts", import.meta.url)

let engine: TestEngine
let env: Record<string, string>
beforeAll(async () => {
  engine = await createTestEngine()
  env = { WE_POSTGRES_DSN: engine.dsn, WE_LOG_LEVEL: "error", DB_MAX_CONNS: "4" }
})
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  return engine.close()
})
beforeEach(() => {
  hooks.tick = () => {}
})

async function enqueue(jobType: string, payload = {}): Promise<string> {
  const request = { jobType, payload, retries: 0, whenFull: "refuse", actor: "local" } as const
  return (await enqueueJob(engine.kernel, request)).job.id
}
const work = (argv: string[], terminal: Parameters<typeof runCommand>[1] = {}) =>
  runCommand(["work", MODULE, ...argv], { env, ...terminal })
const statusOf = async (id: string) => (await getJob(engine.kernel, id)).status

test("B-08: --once runs what is ready, of every kind, and says how much it was", async () => {
  const ids = [await enqueue("tick"), await enqueue("tick")]
  expect(await work(["--once"])).toEqual({ code: 0, out: "Processed 2 jobs; nothing is ready any more.\n", err: "" })
  for (const id of ids) expect(await statusOf(id)).toBe("COMPLETED")
  const { out } = await work(["--once", "--json"])
  expect(JSON.parse(out)).toEqual({ statusCode: 200, processed: 0, endedBy: "empty" })
})

test("B-18, B-X4, B-T5: --deadline counts from the start of the process, and the reserve is left of it", async () => {
  // 12 s went by before anything could begin.
  let elapsedMs = 12_000
  const later = [200_000, 269_999, 270_000]
  hooks.tick = () => {
    elapsedMs = later.shift() ?? elapsedMs
  }
  const ids = [await enqueue("tick"), await enqueue("tick"), await enqueue("tick"), await enqueue("tick")]
  const once = ["--once", "--deadline", "300s", "--concurrency", "1"]
  const { out } = await work(once, { elapsedMs: () => elapsedMs })
  expect(out).toBe("Processed 3 jobs; it was time to stop, more may be ready.\n")
  expect(await statusOf(ids[3] as string)).toBe("PENDING")
  elapsedMs = 290_000
  const { out: shorter } = await work([...once, "--reserve", "9s", "--json"], { elapsedMs: () => elapsedMs })
  expect(JSON.parse(shorter)).toEqual({ statusCode: 200, processed: 1, endedBy: "empty" })
})

test("B-18: a signal while it drains lets it finish what runs and take nothing more", async () => {
  const signals = new EventEmitter()
  hooks.tick = () => signals.emit("SIGTERM")
  const ids = [await enqueue("tick"), await enqueue("tick")]
  const { out } = await work(["--once", "--concurrency", "1"], { signals })
  expect(out).toBe("Processed 1 job; it was time to stop, more may be ready.\n")
  expect([await statusOf(ids[0] as string), await statusOf(ids[1] as string)]).toEqual(["COMPLETED", "PENDING"])
  expect(signals.eventNames()).toEqual([])
  hooks.tick = () => {}
  await work(["--once"])
})

test("D-18: it works on what comes, and a signal finishes what runs before it ends", async () => {
  const signals = new EventEmitter()
  const [inside, goOn] = [gate(), gate()]
  hooks.tick = async () => {
    inside.open()
    await goOn.passed
  }
  const id = await enqueue("tick")
  const ended = work([], { signals, columns: 80 })
  await inside.passed
  signals.emit("SIGTERM")
  expect(await Promise.race([ended, statusOf(id)])).toBe("RUNNING")
  goOn.open()
  const { code, err } = await ended
  expect(code).toBe(0)
  expect(err).toMatch(
    /^Working on tick, until-signal, greet at [^@ ]+\/\w+, 4 at a time\..*\nStopping:.*\n1 done, 0 failed\nStopped the worker\.\n$/,
  )
  expect(await statusOf(id)).toBe("COMPLETED")
})

/** Until it has said that it works; `stop` ends it. */
async function workAside(more: Record<string, string>) {
  const signals = new EventEmitter()
  const working = gate()
  let said = ""
  const onWrite = (text: string) => {
    said += text
    if (said.includes("Working on ")) working.open()
  }
  const ended = runCommand(["work", MODULE], { env: { ...env, ...more }, signals, columns: 80, onWrite })
  await Promise.race([working.passed, ended])
  const stop = async () => {
    signals.emit("SIGTERM")
    return ended
  }
  return { said, stop }
}
const metricsUrl = (said: string) => /^Metrics at (http:\S+)\/metrics, /m.exec(said)?.[1] ?? ""

test("with WE_METRICS_PORT it serves what it has counted, and its health; without it no port is opened", async () => {
  const { said, stop } = await workAside({ WE_METRICS_PORT: "0" })
  const url = metricsUrl(said)
  const done = gate()
  hooks.tick = () => done.open()
  const id = await enqueue("tick")
  await done.passed
  await expect.poll(() => statusOf(id)).toBe("COMPLETED")
  const counted = await (await fetch(`${url}/metrics`)).text()
  expect(counted).toMatch(/^jobs_processed_total\{.*status="completed".*\} 1$/m)
  expect([(await fetch(`${url}/healthz`)).status, (await fetch(`${url}/readyz`)).status]).toEqual([200, 200])
  expect((await fetch(`${url}/v1/jobs`)).status).toBe(404)
  expect(await stop()).toMatchObject({ code: 0, err: expect.stringContaining("Stopped the worker.\nStopped metrics.") })
  await expect(fetch(`${url}/metrics`)).rejects.toThrow()
  const silent = await workAside({})
  expect(silent.said).not.toContain("Metrics")
  await silent.stop()
})

test("its metrics ask for a key where the engine's do, and a port that is taken is told before it works", async () => {
  const { said, stop } = await workAside({ WE_METRICS_PORT: "0", WE_AUTH: "required" })
  const url = metricsUrl(said)
  expect([(await fetch(`${url}/metrics`)).status, (await fetch(`${url}/healthz`)).status]).toEqual([401, 200])
  const taken = runCommand(["work", MODULE], { env: { ...env, WE_METRICS_PORT: new URL(url).port } })
  await expect(taken).rejects.toMatchObject({ code: "EADDRINUSE" })
  await stop()
})

test("D-18: real processes have ids of their own, and end on SIGTERM with their job done", async () => {
  const ids = [await enqueue("until-signal"), await enqueue("until-signal")]
  const two = [1, 2].map(() => runTypeScript(CLI, ["work", MODULE, "--concurrency", "1"], env))
  for (const { child } of two) children.add(child)
  const began = two.map(({ child, ended }) => Promise.race([once(child.stdout as Readable, "data"), ended]))
  await Promise.all(began)
  const held = () => engine.db.script("select distinct worker_id from millrace.jobs where status = 'leased'")
  expect(await held()).toHaveLength(2)
  for (const { child } of two) child.kill("SIGTERM")
  for (const { ended } of two) expect(await ended).toMatchObject({ code: 0, output: expect.stringContaining("began") })
  for (const id of ids) expect(await getJob(engine.kernel, id)).toMatchObject({ status: "COMPLETED" })
})

test.each<[string, string[], RegExp]>([
  ["a deadline without --once", ["--deadline", "5m"], /^--deadline and --reserve go with --once$/],
  ["a reserve without a deadline", ["--once", "--reserve", "5s"], /^--reserve goes with --deadline$/],
  ["a deadline within the reserve", ["--once", "--deadline", "30s"], /leaves nothing beside the reserve of 30s/],
  ["no duration", ["--once", "--deadline", "soon"], /^--deadline soon: must be a duration/],
  ["nobody at work", ["--concurrency", "0"], /must be at least 1/],
])("%s: exit code 2", async (_, argv, expected) => {
  const { code, err } = await work(argv)
  expect(code).toBe(2)
  expect(err).toMatch(expected)
})
