// What a run of a list or a function writes counts as its variables: step by step, and as a whole.
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Step, step, waitForSignal, workflow } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills({ WE_MAX_WRITE_BYTES: "2000", WE_MAX_VARIABLES_BYTES: "5000" })
  mill = mills.mill
})
afterAll(() => mills.close())

const text = (length: number) => "x".repeat(length)
const writes = (name: string, length: number) => step(name, (_: Step) => ({ [name]: text(length) }))

const forms = {
  "a list that restarts": (name: string, lengths: readonly number[]) =>
    workflow(name, { recover: "restart", steps: lengths.map((length, n) => writes(`s${n}`, length)) }),
  "a list that resumes": (name: string, lengths: readonly number[]) =>
    workflow(name, { recover: "resume", steps: lengths.map((length, n) => writes(`s${n}`, length)) }),
  "a function": (name: string, lengths: readonly number[]) =>
    workflow(name, async (run) => {
      for (const [n, length] of lengths.entries()) await run.step(`s${n}`, () => text(length))
    }),
}

async function ended(flow: Parameters<Mill["start"]>[0]) {
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  return mills.row(id)
}

test.each(Object.entries(forms))("SEC-32: %s fails for good at a step that returns too much", async (form, make) => {
  const row = await ended(make(`step ${form}`.replaceAll(" ", "-"), [10, 2_001]))
  expect(row).toMatchObject({ status: "FAILED", last_error: expect.stringMatching(/s1.*at most 2000 are allowed/) })
})

test.each(Object.entries(forms))(
  "SEC-32: %s fails for good when its steps together are too large",
  async (form, make) => {
    const row = await ended(make(`whole ${form}`.replaceAll(" ", "-"), [1_900, 1_900, 1_900]))
    expect(row).toMatchObject({ status: "FAILED", last_error: expect.stringContaining("at most 5000 are allowed") })
  },
)

test("SEC-32: what an earlier attempt has recorded counts, and a signal's payload is refused by itself", async () => {
  const flow = workflow("waits", {
    recover: "resume",
    steps: [writes("a", 1_900), writes("b", 1_900), waitForSignal("go"), writes("c", 1_900)],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  await expect(mill.runs.handle(id).signal("go", { much: text(2_001) })).rejects.toMatchObject({
    code: "payload-too-large",
  })
  await mill.runs.handle(id).signal("go", { ok: true })
  await mill.drain([flow])
  expect(await mills.row(id)).toMatchObject({
    status: "FAILED",
    last_error: expect.stringMatching(/with c the run would have \d+ bytes/),
  })
})

test("SEC-32: the library's doors refuse what is too large, and write nothing", async () => {
  const flow = workflow("doors", { steps: [writes("a", 10)] })
  const large = { x: text(2_001) }
  await expect(mill.start(flow, large)).rejects.toMatchObject({ code: "payload-too-large" })
  await expect(mill.enqueue("t", large)).rejects.toMatchObject({ code: "payload-too-large" })
  await expect(mill.enqueueMany("t", [{}, large])).rejects.toMatchObject({ code: "payload-too-large" })
  const [row] = await mills.tables.script("select count(*) as n from millrace.jobs where step_id = 't'")
  expect(row?.n).toBe(0)
})

test("SEC-32: a parent is told the end of its child, however large the result", async () => {
  const child = workflow("large-child", { steps: [writes("a", 1_900), writes("b", 1_900)] })
  const parent = workflow("parent-of-large", async (run) => {
    const { a } = (await run.child(child, {})) as { a: string }
    return a.length
  })
  const { id } = await mill.start(parent, {})
  await expect
    .poll(async () => {
      await mill.drain([parent, child])
      return (await mills.row(id)).status
    })
    .toBe("COMPLETE")
})

test("SEC-32: a run is told at most as much as an instance may have, and what is refused is not kept", async () => {
  // Which signals a function waits for, the engine does not know.
  const flow = workflow("told", async (run) => run.signal("go"))
  const { id } = await mill.start(flow, {})
  for (let n = 0; n < 2; n++) await mill.runs.handle(id).signal("early", { much: text(1_900) })
  await expect(mill.runs.handle(id).signal("early", { much: text(1_900) })).rejects.toMatchObject({
    code: "payload-too-large",
  })
  await mill.runs.handle(id).signal("go", { ok: true })
  await mill.drain([flow])
  expect(await mills.row(id)).toMatchObject({ status: "COMPLETE" })
  const [kept] = await mills.tables.script(`select count(*) as n from millrace.signals where instance_id = '${id}'`)
  expect(kept?.n).toBe(3)
})
