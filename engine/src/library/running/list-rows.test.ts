// A run as the rows and the view show it, at every moment of its life.
import { afterAll, beforeAll, expect, test } from "vitest"
import { RetryableError, type Step, userTask, waitForSignal, workflow } from "../../index.ts"
import { databaseNow } from "../../test-support/database-clock.ts"
import { eventually, gate, type Mills, openMills } from "../../test-support/mills.ts"

let mills: Mills
beforeAll(async () => {
  mills = await openMills()
})
afterAll(() => mills.close())

const now = () => databaseNow(mills.tables)

async function expectSince(before: number, at: number): Promise<void> {
  expect(at).toBeGreaterThanOrEqual(before)
  expect(at).toBeLessThanOrEqual(await now())
}

test("A-06, A-33: a run is one row, PENDING from the start, with its payload as jsonb and its key", async () => {
  const flow = workflow("fresh", { steps: [function nothing() {}] })
  const { mill, tables } = mills
  await mill.intake(flow, { email: "a@b", nested: { a: [1, null] } }, { key: "key-1", linkingId: "link-1" })
  const [row] = await tables.script(`select *, pg_typeof(payload)::text as type, payload #>> '{nested,a,0}' as inner,
    invisible_until <= millrace.clock() as visible from millrace_views.workflow where idempotency_key = 'key-1'`)
  expect(row).toMatchObject({
    definition_id: "fresh",
    status: "PENDING",
    type: "jsonb",
    inner: "1",
    visible: true,
    retry_count: 0,
    linking_id: "link-1",
    last_error: null,
    failed_step: null,
    completed_at: null,
  })
  expect(JSON.parse(row?.payload as string)).toEqual({ email: "a@b", nested: { a: [1, null] } })
  await mill.drain([flow])
  expect(await mills.row(row?.id as string)).toMatchObject({ status: "COMPLETE", idempotency_key: "key-1" })
})

test("A-33, A-34: PENDING while it runs, while it is held for a retry with a time in the future, and COMPLETE at the end", async () => {
  const { mill } = mills
  const inside = gate()
  const goOn = gate()
  const flow = workflow("moments", {
    steps: [
      async function work({ attempt }: Step) {
        if (attempt === 1) throw new RetryableError("not yet", { baseDelay: "PT1H", jitterFactor: 0, wakeOn: "link-2" })
        inside.open()
        await goOn.passed
        return { seen: true }
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  const before = await now()
  await mill.drain([flow])
  const held = await mills.row(id)
  expect(held).toMatchObject({
    status: "PENDING",
    retry_count: 1,
    last_error: "work: not yet",
    linking_id: "link-2",
    completed_at: null,
  })
  await expectSince(before, (held.invisible_until as number) - 3_600_000)
  await mill.wake("link-2")
  const worker = await mill.work([flow])
  await inside.passed
  expect(await mills.row(id)).toMatchObject({ status: "PENDING", failed_step: null })
  goOn.open()
  await mill.runs.handle(id).ended()
  const done = await mills.row(id)
  expect(done).toMatchObject({ status: "COMPLETE", retry_count: 1, last_error: null, failed_step: null })
  expect(done.completed_at).toEqual(expect.any(Number))
  expect(JSON.parse(done.context as string)).toEqual({ seen: true })
  await worker.stop()
})

test("A-33: a run that waits is PENDING: for ever where only a signal ends it, and the wait is no error", async () => {
  const { mill } = mills
  const flow = workflow("waiting", {
    recover: "resume",
    steps: [waitForSignal("go"), userTask({ name: "review", within: "P1D" })],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "WAITING" })
  const waits = await mills.tables.script(
    `select status, invisible_until = 'infinity' as for_ever, last_error from millrace_views.workflow where id = '${id}'`,
  )
  expect(waits).toEqual([{ status: "PENDING", for_ever: true, last_error: null }])
  await mill.runs.handle(id).signal("go")
  const before = await now()
  await mill.drain([flow])
  const limited = await mills.row(id)
  expect(limited).toMatchObject({ status: "PENDING", last_error: null })
  await expectSince(before, (limited.invisible_until as number) - 86_400_000)
  await mill.runs.handle(id).cancel({ reason: "no more" })
  expect(await mills.row(id)).toMatchObject({ status: "FAILED", last_error: "no more", failed_step: null })
})

test("A-30, A-33: a failed run is FAILED, with the step and the error; a retry makes it PENDING again", async () => {
  const { mill } = mills
  let broken = true
  const flow = workflow("failing", {
    steps: [
      function fine() {
        return { a: 1 }
      },
      function charge() {
        if (broken) throw new Error("card: declined")
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(await mills.row(id)).toMatchObject({
    status: "FAILED",
    failed_step: "charge",
    last_error: "charge: card: declined",
    retry_count: 0,
  })
  broken = false
  await mill.runs.handle(id).retry()
  expect(await mills.row(id)).toMatchObject({ status: "PENDING", failed_step: null, completed_at: null })
  await mill.drain([flow])
  expect(await mills.row(id)).toMatchObject({ status: "COMPLETE", failed_step: null })
})

test("A-33: step names with colons are told apart from the message, and a missed deadline is no step", async () => {
  const { mill, tables } = mills
  const named = workflow("named", {
    steps: [
      Object.defineProperty(
        () => {
          throw new Error("no: way")
        },
        "name",
        { value: "pay:card" },
      ),
    ],
  })
  const { id } = await mill.start(named, {})
  await mill.drain([named])
  expect(await mills.row(id)).toMatchObject({ failed_step: "pay:card", last_error: "pay:card: no: way" })
  const late = workflow("late", { deadline: "PT1H", steps: [function never() {}] })
  const missed = await mill.start(late, {})
  await mills.advanceClock(3_700_000)
  await eventually(() => mills.row(missed.id)).toMatchObject({ status: "FAILED", failed_step: "late" })
  expect(
    (await tables.script("select distinct status from millrace_views.workflow order by 1")).map((r) => r.status),
  ).toEqual(["COMPLETE", "FAILED"])
})

test("A-34: nothing but the row and its timestamp keeps a retry: there is no second queue, no timer", async () => {
  const { mill, tables } = mills
  const flow = workflow("held", {
    steps: [
      function later() {
        throw new RetryableError("later")
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  const [rows] = await tables.script(`select
    (select count(*) from millrace.timers where instance_id = '${id}') as timers,
    (select count(*) from millrace.requests where instance_id = '${id}') as requests,
    (select count(*) from millrace.jobs where instance_id = '${id}' and status = 'held' and visible_at is not null) as held`)
  expect(rows).toEqual({ timers: 0, requests: 0, held: 1 })
})
