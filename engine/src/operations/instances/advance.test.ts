// Events that share the draft of one instance: what one of them leaves for the next, and that a bug in the middle leaves nothing.
import { afterAll, beforeAll, expect, test } from "vitest"
import { planCancel } from "../../model/instances/plan-human.ts"
import { linear } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { auditKinds, jobRows } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { type AdvanceItem, advance, NOT_LIVE } from "./advance.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
  await engine.upload(linear())
})
afterAll(() => engine.close())

type Decide = AdvanceItem<string>["decide"]

const cancel: Decide = (draft) => {
  planCancel(draft, "enough", "test")
  return "cancelled"
}
const breakOff: Decide = (draft) => {
  planCancel(draft, "enough", "test")
  throw new Error("a bug in the middle")
}
const together = (instanceId: string, ...all: Decide[]) =>
  Promise.allSettled(all.map((decide) => advance(engine.kernel, { instanceId, decide })))

test("S4: an event behind the one that ended the instance is not asked, and is told that the instance is not live", async () => {
  const id = await worker.start("linear")
  const asked: string[] = []
  const outcomes = await together(id, cancel, () => {
    asked.push("second")
    return "went on"
  })
  expect(outcomes).toMatchObject([{ value: "cancelled" }, { value: NOT_LIVE }])
  expect(asked).toEqual([])
})

test("S5: of an event that breaks off in the middle nothing is written; one that shares its draft counts", async () => {
  const id = await worker.start("linear")
  const before = await auditKinds(engine.db, id)
  expect(await together(id, breakOff)).toMatchObject([{ reason: { message: "a bug in the middle" } }])
  expect(await auditKinds(engine.db, id)).toEqual(before)
  expect(await jobRows(engine.db, id)).toMatchObject([{ status: "ready" }])
  const note: Decide = () => "looked"
  expect(await together(id, note, breakOff, note)).toMatchObject([
    { value: "looked" },
    { reason: { message: "a bug in the middle" } },
    { value: "looked" },
  ])
  expect(await auditKinds(engine.db, id)).toEqual(before)
  expect(await together(id, cancel)).toMatchObject([{ value: "cancelled" }])
})
