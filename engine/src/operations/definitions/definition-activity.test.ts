// Where live instances stand, on a real database.
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { forked, linear, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { getDefinitionActivity, readDefinitionActivity } from "./definition-activity.ts"

const HALF_AN_HOUR = 30 * 60_000

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

const activity = (id: string, olderThanMs = HALF_AN_HOUR) => readDefinitionActivity(engine.kernel, id, olderThanMs)

test("C-122: open steps of live instances are counted, those of finished ones are not", async () => {
  await engine.upload(linear())
  for (let n = 0; n < 3; n++) await worker.start("linear")
  await worker.complete(await worker.claimOne("a"))
  await worker.fail(await worker.claimOne("a"), "over", false)
  expect(await activity("linear")).toEqual({
    items: [
      { version: 1, stepId: "a", open: 1, older: 0 },
      { version: 1, stepId: "b", open: 1, older: 0 },
    ],
    instances: 2,
    isExact: true,
  })
})

test("each branch of a fork counts, and each version for itself, the newest first", async () => {
  await engine.upload(forked())
  for (let n = 0; n < 2; n++) await worker.start("forked")
  await engine.upload({ ...forked(), name: "second" })
  await worker.start("forked")
  expect(await activity("forked")).toEqual({
    items: [
      { version: 2, stepId: "a", open: 1, older: 0 },
      { version: 2, stepId: "b", open: 1, older: 0 },
      { version: 1, stepId: "a", open: 2, older: 0 },
      { version: 1, stepId: "b", open: 2, older: 0 },
    ],
    instances: 3,
    isExact: true,
  })
})

test("what is open for longer than asked is older; the step's own time counts, not the instance's", async () => {
  await engine.upload(workflow("slow", [service("work", "ask"), step("USER_TASK", "ask")]))
  await worker.start("slow")
  await worker.start("slow")
  await engine.advanceClock(HALF_AN_HOUR + 1_000)
  await worker.complete(await worker.claimOne("work"))
  expect((await activity("slow")).items).toEqual([
    { version: 1, stepId: "ask", open: 1, older: 0 },
    { version: 1, stepId: "work", open: 1, older: 1 },
  ])
  expect((await activity("slow", HALF_AN_HOUR + 60_000)).items.map(({ older }) => older)).toEqual([0, 0])
})

test("a definition without live instances has no activity; one that nobody knows is not found", async () => {
  await engine.upload(linear("idle"))
  expect(await activity("idle")).toEqual({ items: [], instances: 0, isExact: true })
  await expect(activity("nobody")).rejects.toMatchObject({ code: "not-found" })
})

test("beyond 10,000 instances it looks at the oldest and says that there are more", async () => {
  const open = `{"open":[{"execution":1,"stepId":"stand","attempt":1,"startedAt":1,"fork":0}],"forks":[],"entries":{},"executions":1}`
  const insert = (from: number, to: number) =>
    engine.db.script(`insert into millrace.instances
      (id, definition_id, definition_version, status, priority, input, state, version, reads_variables, started_at)
      select '01ARZ3NDEKTSV4RRFFQ' || lpad(n::text, 7, '0'), 'crowd', 1, 'ACTIVE', 'normal', '{}', '${open}', 1, false, now()
      from generate_series(${from}, ${to}) n`)
  await insert(1, 10_000)
  expect(await activity("crowd")).toEqual({
    items: [{ version: 1, stepId: "stand", open: 10_000, older: 10_000 }],
    instances: 10_000,
    isExact: true,
  })
  await insert(10_001, 12_000)
  expect(await activity("crowd")).toMatchObject({ instances: 10_000, isExact: false, items: [{ open: 10_001 }] })
})

test("pages that look at the same get one answer, until it is some time old", async () => {
  await engine.upload(linear("watched"))
  await worker.start("watched")
  const look = (olderThanMs = HALF_AN_HOUR) => getDefinitionActivity(engine.kernel, "watched", olderThanMs)
  const [first, second] = await Promise.all([look(), look()])
  expect(second).toBe(first)
  await worker.start("watched")
  expect(await look()).toBe(first)
  expect((await look(HALF_AN_HOUR + 1)).instances).toBe(2)
  const now = performance.now()
  vi.spyOn(performance, "now").mockReturnValue(now + 10_001)
  expect((await look()).instances).toBe(2)
  vi.restoreAllMocks()
  for (let n = 0; n < 2; n++)
    await expect(getDefinitionActivity(engine.kernel, "unknown", 1)).rejects.toMatchObject({ code: "not-found" })
  await engine.upload(linear("unknown"))
  expect(await getDefinitionActivity(engine.kernel, "unknown", 1)).toMatchObject({ instances: 0 })
})
