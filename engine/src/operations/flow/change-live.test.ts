// Changes of settings that race: a worker declares what an operator sets at the same moment.
import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { setJobType } from "./change-job-types.ts"
import { declareJobType } from "./declare-job-type.ts"
import { liveSettingsOf } from "./live-settings.ts"

let engine: TestEngine
beforeAll(async () => {
  engine = await createTestEngine()
})
afterAll(() => engine.close())

test("F41, D-50: workers that declare a job type and operators who set it never deadlock", async () => {
  const { kernel } = engine
  const operator = { actor: "ann" }
  await declareJobType(kernel, "raced", { retries: 1 })
  const rounds = Array.from({ length: 13 }, (_, n) => n + 2)
  const calls = rounds.flatMap((n) => [
    () => declareJobType(kernel, "raced", { retries: n }),
    () => setJobType(kernel, operator, { name: "raced", timeoutMs: n * 1_000 }),
    () => declareJobType(kernel, "raced", { retries: n + 100 }),
    () => setJobType(kernel, operator, { name: "raced", timeoutMs: n * 2_000 }),
  ])
  const outcomes = await Promise.allSettled(calls.map((call) => call()))
  expect(outcomes.filter(({ status }) => status === "rejected")).toEqual([])
  await liveSettingsOf(kernel).refresh()
  // Any of them may be the last one, also the first that was asked for: what is in force is what the database has.
  const [row] = await engine.db.script("select timeout_ms, defaults from millrace.job_types where name = 'raced'")
  expect(liveSettingsOf(kernel).timeoutMs("raced")).toBe(row?.timeout_ms)
  expect(liveSettingsOf(kernel).defaultsOf("raced")).toEqual(JSON.parse(String(row?.defaults)))
  expect(row?.timeout_ms).toBeGreaterThanOrEqual(2_000)
  expect(liveSettingsOf(kernel).defaultsOf("raced")?.retries).toBeGreaterThanOrEqual(2)
})
