// The life of instances as events, on real PostgreSQL: complete, in order, and only where it is asked for.
import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { measureSinks } from "./measure-sinks.ts"
import { roomOf } from "./room.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>
beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  const steps = [service("work", "end"), end()]
  await engine.upload({ ...workflow("told", steps), events: true })
  await engine.upload(workflow("quiet", steps))
})
afterAll(() => engine.close())
beforeEach(() => engine.db.script("delete from millrace.events"))
afterEach(() => finishAll())

/** Every job that waits. */
async function finishAll(): Promise<void> {
  for (const job of await worker.claim(["work"])) await worker.complete(job)
}

interface LifeEvent {
  readonly type: string
  readonly key: string
  readonly payload: { readonly kind: string; readonly sequence: number; readonly status: string }
}

const events = async (): Promise<LifeEvent[]> =>
  (await engine.db.script("select type, key, payload from millrace.events order by seq")).map((row) => ({
    type: row.type as string,
    key: row.key as string,
    payload: JSON.parse(row.payload as string) as LifeEvent["payload"],
  }))
const kinds = async () => (await events()).map(({ payload }) => payload.kind)

describe("events: true", () => {
  test("C-92: each change of an instance is an event of its own type, with its key, in order and without a gap", async () => {
    const id = await worker.start("told", { a: 1 }, { businessKey: "b-1" })
    await finishAll()
    const all = await events()
    expect(all.map(({ type, key }) => [type, key])).toEqual(all.map(() => ["workflow.events.told", id]))
    expect(all.map(({ payload }) => payload.kind)).toEqual(
      expect.arrayContaining(["INSTANCE_STARTED", "JOB_DISPATCHED", "JOB_COMPLETED", "INSTANCE_COMPLETED"]),
    )
    expect(all.map(({ payload }) => payload.sequence)).toEqual(all.map((_, at) => at + 1))
    expect(all.at(-1)?.payload).toMatchObject({
      instanceId: id,
      definitionId: "told",
      definitionVersion: 1,
      businessKey: "b-1",
      kind: "INSTANCE_COMPLETED",
      status: "COMPLETED",
    })
  })

  test("they are what contracts/instance-event.schema.json says", async () => {
    await worker.start("told")
    const path = new URL("../../../../contracts/instance-event.schema.json", import.meta.url)
    const ajv = new Ajv2020({ formats: { "date-time": true } })
    const validate = ajv.compile(JSON.parse(readFileSync(path, "utf8")))
    for (const { payload } of await events()) expect(validate(payload), JSON.stringify(validate.errors)).toBe(true)
  })

  test("where the audit is kept, they are its lines", async () => {
    const id = await worker.start("told")
    await finishAll()
    const lines = await engine.db.script(`select kind from millrace.trail where instance_id = '${id}' order by seq`)
    expect(await kinds()).toEqual(lines.map(({ kind }) => kind))
  })

  test("a start that is rolled back tells nothing", async () => {
    await worker.start("told", {}, { businessKey: "taken" })
    const before = await kinds()
    await expect(worker.start("told", {}, { businessKey: "taken" })).rejects.toThrow()
    expect(await kinds()).toEqual(before)
  })
})

test("without it nothing is written", async () => {
  await worker.start("quiet")
  await finishAll()
  expect(await events()).toEqual([])
})

test("F58: while too many events wait, no instance is started that would add to them; those that run go on", async () => {
  await worker.start("told")
  await engine.db.script("update millrace.outbox set high_watermark = 1")
  await measureSinks(engine.kernel)
  await expect(worker.start("told")).rejects.toMatchObject({ code: "backpressure" })
  await worker.start("quiet")
  await finishAll()
  expect(await kinds()).toContain("INSTANCE_COMPLETED")
  await engine.db.script("update millrace.outbox set high_watermark = 10000000")
  await measureSinks(engine.kernel)
  expect(roomOf(engine.kernel).isFull).toBe(false)
  await worker.start("told")
})
