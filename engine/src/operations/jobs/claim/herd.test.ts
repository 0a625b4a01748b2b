// Very many workers at once: what they cost is counted in statements, and each gets its own job.
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Core } from "../../../core.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { createStatementWatch, type StatementWatch } from "../../../test-support/statement-watch.ts"
import { openTestCore } from "../../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { claimJobs } from "./claim-jobs.ts"

const WORKERS = 1_000

let engine: TestEngine
let watch: StatementWatch
let core: Core
beforeAll(async () => {
  engine = await createTestEngine()
  await engine.upload(workflow("herd", [service("herd", "end"), end()]))
  watch = await createStatementWatch(engine.dsn)
  core = await openTestCore(watch.dsn, { DB_MAX_CONNS: "6" })
})
afterAll(async () => {
  await core.stop()
  await watch.close()
  await engine.close()
})

const each = <T>(work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: WORKERS }, (_, n) => work(n)))
const starts = () => each(() => drive(core.kernel).start("herd"))
const ask = (n: number, waitMs: number) =>
  claimJobs(core.kernel, { workerId: `w${n}`, jobTypes: ["herd"], maxJobs: 1, leaseMs: 3_600_000, waitMs })

test("F63: a thousand workers that ask at once share few statements, and each gets a job of its own", async () => {
  await starts()
  watch.forget()
  const claimed = (await each((n) => ask(n, 0))).flat()
  expect(new Set(claimed.map(({ instanceId }) => instanceId)).size).toBe(WORKERS)
  expect(watch.statements.length).toBeLessThan(WORKERS / 5)
})

test("F63: a thousand that wait do not ask on, and each is handed a job when there is one", async () => {
  const waiting = each((n) => ask(n, 240_000))
  const ids = await starts()
  const claimed = (await waiting).flat()
  expect(claimed.map(({ instanceId }) => instanceId).toSorted()).toEqual(ids.toSorted())
  watch.forget()
  expect((await each((n) => ask(n, 0))).flat()).toEqual([])
  expect(watch.statements.length).toBeLessThan(WORKERS / 5)
})

test("F51: a thousand commits send notifications, and far fewer than commits", async () => {
  const sent = () => watch.statements.filter((text) => text.includes("pg_notify")).length
  watch.forget()
  await starts()
  await expect.poll(sent).toBeGreaterThan(0)
  expect(sent()).toBeLessThan(WORKERS / 5)
})
