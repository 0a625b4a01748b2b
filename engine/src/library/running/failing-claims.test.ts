// The database is away, or will not have the claim: the log of a worker says so when it begins and when it is over, and not in between.
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { enqueueJob } from "../../operations/jobs/enqueue/enqueue-job.ts"
import { eventually } from "../../test-support/mills.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { Worker } from "./worker.ts"

let engine: TestEngine
beforeAll(async () => {
  engine = await createTestEngine()
})
afterAll(() => engine.close())

test("claims that fail again and again are told once, without a stack, and once that they succeed again", async () => {
  const { kernel } = engine
  const [warned, debugged] = (["warn", "debug"] as const).map((level) => vi.spyOn(kernel.log, level))
  const said = (spy: typeof warned) =>
    (spy?.mock.calls ?? []).filter(([, words]) => /a claim failed/.test(String(words)))
  const request = { jobType: "tick", payload: {}, retries: 0, whenFull: "refuse", actor: "local" } as const
  await enqueueJob(kernel, request)
  let runs = 0
  const attempts = { tick: () => Promise.resolve({ kind: "completed" as const, result: { runs: ++runs } }) }
  await engine.db.script("alter table millrace.jobs rename to mislaid")
  const worker = new Worker(kernel, { workerId: "w", attempts: attempts as never }).start()
  await eventually(async () => said(debugged).length >= 3).toBe(true)
  await engine.db.script("alter table millrace.mislaid rename to jobs")
  await eventually(async () => warned?.mock.calls.some(([words]) => String(words) === "claims succeed again")).toBe(
    true,
  )
  expect(said(warned)).toEqual([[{ reason: expect.stringContaining("jobs") }, expect.any(String)]])
  await worker.stop()
})
