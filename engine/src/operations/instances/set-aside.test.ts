// Work of the loops that fails again and again is tried later and later, and holds up nothing else.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { EVERYTHING } from "../../model/people/reach.ts"
import { service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { fireSchedules } from "../schedules/fire-schedules.ts"
import { getSchedule } from "../schedules/read-schedules.ts"
import { putSchedule } from "../schedules/schedules.ts"
import { explainWaiting } from "./explain-waiting.ts"
import { fireTimers } from "./run-timers.ts"
import { startChains } from "./start-chains.ts"

let engine: TestEngine
const worker = () => drive(engine.kernel)

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  const boundaryEvents = [{ type: "TIMER", duration: "PT1S", interrupting: true, targetStepId: "late" }]
  for (const id of ["healthy", "poison"])
    await engine.upload(workflow(id, [step("WAIT", "pause", { nextStep: "late", boundaryEvents }), service("late")]))
  // What makes it fail is not for the engine to know: a fault of ours, a broken index, a trigger of an operator.
  await engine.db.script(`create function public.refuse() returns trigger language plpgsql as $$ begin
      if exists (select from millrace.instances i where i.id = new.instance_id and i.definition_id = 'poison') then
        raise exception 'poisoned' using errcode = 'P0001';
      end if;
      return new;
    end $$;
    create trigger poison before insert on millrace.history for each row execute function public.refuse()`)
})
afterAll(() => engine.close())

const timersOf = async (definitionId: string) =>
  engine.db.script(`select t.failures, t.last_error
    from millrace.timers t join millrace.instances i on i.id = t.instance_id where i.definition_id = '${definitionId}'`)

describe("F64: a timer that cannot fire", () => {
  test("is tried after 1, 2, 4 … 60 seconds", async () => {
    const waits =
      await engine.db.script(`select round(extract(epoch from millrace.next_try(n) - millrace.clock()))::integer as s
      from generate_series(0, 8) n order by n`)
    expect(waits.map(({ s }) => s)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
  })

  test("says how often it has failed and why, and is not due again at once", async () => {
    const id = await worker().start("poison")
    for (let n = 1; n <= 8; n++) {
      await engine.advanceClock(61_000)
      expect(await fireTimers(engine.kernel, noTerm)).toBe(1)
      expect(await timersOf("poison")).toMatchObject([{ failures: n, last_error: "poisoned" }])
    }
    // A minute away now: the loop that asks for more gets nothing.
    expect(await fireTimers(engine.kernel, noTerm)).toBe(0)
    const [reason] = (await explainWaiting(engine.kernel, id)).filter(({ kind }) => kind === "set-aside")
    expect(reason).toMatchObject({ stepId: "pause", detail: { what: "timer", failures: 8, reason: "poisoned" } })
    expect(reason?.detail.message).toMatch(/^Set aside after 8 failures of its timer: poisoned; tried again at /)
  })

  test("does not hide the timers behind it, however many such there are", async () => {
    for (let n = 0; n < 520; n += 40) await Promise.all(Array.from({ length: 40 }, () => worker().start("poison")))
    await engine.advanceClock(1_500)
    const id = await worker().start("healthy")
    await engine.advanceClock(1_500)
    while ((await fireTimers(engine.kernel, noTerm)) > 0);
    expect((await worker().get(id)).currentStepIds).toEqual(["late"])
  })

  test("keeps its own time, and one that is merely held has not failed", async () => {
    const id = await worker().start("healthy")
    const timer = `select due_at, failures, retry_at from millrace.timers where instance_id = '${id}'`
    const [before] = await engine.db.script(timer)
    await engine.advanceClock(1_500)
    const client = await engine.db.dedicated()
    await client.query("begin")
    await client.query(`select from millrace.instances where id = '${id}' for update`)
    while ((await fireTimers(engine.kernel, noTerm)) > 0);
    expect((await engine.db.script(timer))[0]).toMatchObject({
      due_at: before?.due_at,
      failures: 0,
      retry_at: expect.any(Number),
    })
    await client.query("rollback")
    client.release()
    await engine.advanceClock(1_500)
    while ((await fireTimers(engine.kernel, noTerm)) > 0);
    expect((await worker().get(id)).currentStepIds).toEqual(["late"])
  })

  test("fires as soon as it can", async () => {
    await engine.db.script("alter table millrace.history disable trigger poison")
    await engine.advanceClock(61_000)
    while ((await fireTimers(engine.kernel, noTerm)) > 0);
    await engine.db.script("alter table millrace.history enable trigger poison")
    expect(await timersOf("poison")).toEqual([])
  })
})

describe("F64: a schedule that cannot be fired", () => {
  const scheduleRow = async () =>
    (
      await engine.db.script(
        "select failures, last_error, next_at, retry_at from millrace.schedules where id = 'stuck'",
      )
    )[0]

  test("keeps its tick and is tried later and later; the others fire", async () => {
    await putSchedule(
      engine.kernel,
      { id: "stuck", cron: "* * * * *", jobType: "t" },
      { actor: "ann", reach: EVERYTHING },
    )
    await putSchedule(
      engine.kernel,
      { id: "well", cron: "* * * * *", jobType: "t" },
      { actor: "ann", reach: EVERYTHING },
    )
    await engine.db.script(`create function public.refuse_run() returns trigger language plpgsql as $$ begin
        if new.schedule_id = 'stuck' then raise exception 'poisoned run'; end if; return new; end $$;
      create trigger poison before insert on millrace.schedule_runs for each row execute function public.refuse_run()`)
    await engine.advanceClock(61_000)
    expect(await fireSchedules(engine.kernel, noTerm)).toBe(1)
    const first = await scheduleRow()
    expect(first).toMatchObject({ failures: 1, last_error: "poisoned run" })
    for (let n = 2; n <= 8; n++) {
      await engine.advanceClock(61_000)
      await fireSchedules(engine.kernel, noTerm)
      expect(await scheduleRow()).toMatchObject({ failures: n, next_at: first?.next_at })
    }
    expect(await getSchedule(engine.kernel, "stuck")).toMatchObject({
      lastOutcome: "failed",
      lastDetail: expect.stringMatching(/^could not be fired \(8\): poisoned run; tried again at 2/),
    })
    // A minute away now.
    await fireSchedules(engine.kernel, noTerm)
    expect(await scheduleRow()).toMatchObject({ failures: 8 })
  })

  test("fires its tick as soon as it can, and has no failure then", async () => {
    await engine.db.script("alter table millrace.schedule_runs disable trigger poison")
    await engine.advanceClock(61_000)
    await fireSchedules(engine.kernel, noTerm)
    expect(await scheduleRow()).toMatchObject({ failures: 0, last_error: null, retry_at: null })
    const runs = await engine.db.script("select outcome from millrace.schedule_runs where schedule_id = 'stuck'")
    expect(runs.some(({ outcome }) => outcome === "started")).toBe(true)
  })
})

test("F64: a next workflow that cannot start is told of its parent, although that has ended", async () => {
  await engine.upload(
    workflow("parent", [step("END", "end")], { autoStartNextWorkflow: true, nextWorkflowId: "child" }),
  )
  const id = await worker().start("parent")
  for (let n = 0; n < 3; n++) {
    await engine.advanceClock(61_000)
    await startChains(engine.kernel, noTerm)
  }
  expect(await explainWaiting(engine.kernel, id)).toMatchObject([
    { kind: "set-aside", detail: { what: "chain", failures: 3, reason: "there is no definition child" } },
  ])
})
