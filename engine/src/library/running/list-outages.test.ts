// The database goes away under a run: that is no failure of the run's, and of no step's; what was done is looked up when it is back.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { bestEffort, type Step, type TxStep, workflow } from "../../index.ts"
import { eventually, type Gate, gate, type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
let calls: string[]
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
  await mills.tables.script("create table public.written (note text)")
})
afterAll(() => mills.close())
beforeEach(() => {
  calls = []
})

/** The statement that records this run's next step waits for a lock, and dies of its connection. `isBroken` when it has. */
async function breakNextRecord(step: Pick<Step, "key">, isBroken: Gate): Promise<void> {
  const client = await mills.tables.dedicated()
  await client.query("begin")
  await client.query("select from millrace.jobs where instance_id = $1 for update", [step.key.split("/")[0]])
  const kill = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query ilike '%run_steps%'`
  void eventually(() => mills.tables.script(kill))
    .toHaveLength(1)
    .finally(async () => {
      await client.query("rollback")
      client.release()
      isBroken.open()
    })
}

test("a list that resumes: the step whose record was lost is done again, and the run is not FAILED", async () => {
  const isBroken = gate()
  const flow = workflow("blip", {
    recover: "resume",
    steps: [
      async function first(step: Step) {
        calls.push("first")
        if (step.attempt === 1) await breakNextRecord(step, isBroken)
      },
      function second() {
        calls.push("second")
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  await isBroken.passed
  await eventually(() => mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(calls).toEqual(["first", "first", "second"])
  expect(await mills.row(id)).toMatchObject({ retry_count: 0 })
  await worker.stop()
})

test("A-25: a best-effort step has not failed because its record was lost", async () => {
  const isBroken = gate()
  const flow = workflow("blip-forgiven", {
    recover: "resume",
    steps: [
      bestEffort(async function attach(step: Step) {
        calls.push("attach")
        if (step.attempt === 1) await breakNextRecord(step, isBroken)
        return { attached: true }
      }),
    ],
  })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  await isBroken.passed
  await eventually(() => mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { attached: true } })
  expect((await mill.runs.failures({ workflow: flow, step: "attach" })).items).toEqual([])
  await worker.stop()
})

test("the function form is not told: what it would do about an error it does not do about an outage", async () => {
  const isBroken = gate()
  const flow = workflow("blip-function", async (run) => {
    try {
      await run.step("charge", async (step) => {
        calls.push("charge")
        if (step.attempt === 1) await breakNextRecord(step, isBroken)
      })
    } catch {
      await run.step("refund", () => void calls.push("refund"))
    }
  })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  await isBroken.passed
  await eventually(() => mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(calls).toEqual(["charge", "charge"])
  await worker.stop()
})

test("a step's own transaction that breaks at its end: what was written is there once, with its record", async () => {
  const isBroken = gate()
  const flow = workflow("blip-tx", {
    recover: "resume",
    steps: [
      async function write(step: TxStep) {
        await step.tx.query("insert into public.written values ($1)", [`attempt ${step.attempt}`])
        if (step.attempt === 1) await breakNextRecord(step, isBroken)
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  await isBroken.passed
  await eventually(() => mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(await mills.tables.script("select note from public.written")).toEqual([{ note: "attempt 2" }])
  await worker.stop()
})

test("an error of the step's own database is the step's own: the run fails with it", async () => {
  const flow = workflow("own-database", {
    recover: "resume",
    steps: [
      function ask() {
        throw Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:5432"), { code: "ECONNREFUSED" })
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({
    status: "FAILED",
    failureReason: "ask: connect ECONNREFUSED 10.0.0.1:5432",
  })
})
