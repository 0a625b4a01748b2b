// Timers on a real database: each fires once, never early, and only while its step is there.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { deleteOrphanTimers } from "../../store/instances/timers.ts"
import { advanceClock } from "../../test-support/database-clock.ts"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdInstances } from "../../test-support/hold-rows.ts"
import { holdLoops, noTerm, sweepAll } from "../../test-support/loops.ts"
import { auditKinds, countRows, jobRows, liveRows } from "../../test-support/rows.ts"
import { openTestCore } from "../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { cancelInstance, completeUserTask, signalWait } from "./change-instance.ts"
import { getHistory } from "./read-history.ts"
import { retryInstance } from "./retry-instance.ts"
import { fireTimers } from "./run-timers.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

const HOUR_MS = 3_600_000
const boundary = (interrupting: boolean, duration = "PT1H") => ({
  boundaryEvents: [{ type: "TIMER", duration, interrupting, targetStepId: "late" }],
})

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
  for (const interrupting of [true, false]) {
    const id = interrupting ? "interrupted" : "reminded"
    await engine.upload(
      workflow(id, [
        service("work", "end", { jobType: id, ...boundary(interrupting) }),
        service("late", interrupting ? "end" : undefined, { jobType: `${id}-late` }),
        end(),
      ]),
    )
  }
  await engine.upload(
    workflow("ended", [
      step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["work", "ask"], joinStep: "join" }),
      service("work", "join", { jobType: "ended", ...boundary(false) }),
      step("USER_TASK", "ask", { nextStep: "join" }),
      step("JOIN_GATEWAY", "join", { nextStep: "end" }),
      service("late", "end", { jobType: "ended-late" }),
      end(),
    ]),
  )
  await engine.upload(
    workflow("asked", [
      step("USER_TASK", "work", { nextStep: "end", ...boundary(true) }),
      service("late", "end", { jobType: "asked-late" }),
      end(),
    ]),
  )
  await engine.upload(
    workflow("parked", [
      step("WAIT", "work", { nextStep: "end", ...boundary(true) }),
      service("late", "end", { jobType: "parked-late" }),
      end(),
    ]),
  )
})
afterAll(() => engine.close())

/** Less than what the round would take if it waited for one instance after the other, each for as long as a request may. */
const HELD_IN_TURN_MS = 120_000

const fire = () => fireTimers(engine.kernel, noTerm)
const timersOf = (id: string) => countRows(engine.db, "timers", `instance_id = '${id}'`)
const firings = async (id: string) => (await auditKinds(engine.db, id)).filter((kind) => kind === "TIMER_FIRED").length
const currentOf = async (id: string) => (await worker.get(id)).currentStepIds

describe("a boundary timer", () => {
  test("C-77, S12: never fires early, by the database's clock and to the millisecond", async () => {
    const id = await worker.start("interrupted")
    const [row] = await engine.db.script(
      `select extract(epoch from due_at - millrace.clock()) * 1000 as left_ms from millrace.timers where instance_id = '${id}'`,
    )
    expect(Number(row?.left_ms)).toBeLessThanOrEqual(HOUR_MS)
    expect(Number(row?.left_ms)).toBeGreaterThan(HOUR_MS - 10_000)
    await engine.advanceClock(HOUR_MS - 10_000)
    await fire()
    expect(await currentOf(id)).toEqual(["work"])
    await engine.advanceClock(10_000)
    await fire()
    expect(await currentOf(id)).toEqual(["late"])
    await worker.complete(await worker.claimOne("interrupted-late"))
  })

  test("C-77: interrupting, the step fails, its job is cancelled and the target starts", async () => {
    const id = await worker.start("interrupted")
    const job = await worker.claimOne("interrupted")
    await engine.advanceClock(HOUR_MS)
    await fire()
    expect(await worker.get(id)).toMatchObject({ status: "ACTIVE", currentStepIds: ["late"] })
    expect((await getHistory(engine.kernel, id))[0]).toMatchObject({
      stepId: "work",
      status: "FAILED",
      failureReason: "interrupted by boundary timer",
    })
    expect(await worker.complete(job)).toBe("stale")
    expect(await liveRows(engine.db, id)).toMatchObject({ jobs: 1, timers: 0 })
    await worker.complete(await worker.claimOne("interrupted-late"))
    expect((await worker.get(id)).status).toBe("COMPLETED")
  })

  test("C-77, C-T5: interrupting a user task and a wait closes them", async () => {
    const [asked, parked] = [await worker.start("asked"), await worker.start("parked")]
    await engine.advanceClock(HOUR_MS)
    await fire()
    for (const id of [asked, parked])
      expect(await worker.get(id)).toMatchObject({ status: "ACTIVE", currentStepIds: ["late"] })
    expect(await engine.db.script(`select status from millrace.user_tasks where instance_id = '${asked}'`)).toEqual([
      { status: "CANCELLED" },
    ])
    const change = { stepId: "work", variables: {}, actor: "local" }
    await expect(
      completeUserTask(engine.kernel, { ...change, instanceId: asked, completedBy: "ann" }),
    ).rejects.toMatchObject({ code: "not-found" })
    await expect(signalWait(engine.kernel, { ...change, instanceId: parked })).rejects.toMatchObject({
      code: "conflict",
    })
  })

  test("C-77: not interrupting, the target starts beside the step and both go on", async () => {
    const id = await worker.start("reminded")
    const job = await worker.claimOne("reminded", 3 * HOUR_MS)
    await engine.advanceClock(HOUR_MS)
    await fire()
    expect(await currentOf(id)).toEqual(["work", "late"])
    await worker.complete(await worker.claimOne("reminded-late"))
    expect(await currentOf(id)).toEqual(["work"])
    expect(await worker.complete(job)).toBe("accepted")
    expect((await worker.get(id)).status).toBe("COMPLETED")
  })

  test("W-01: its path to an END completes the instance, and withdraws the job, the task and the timers of the fork", async () => {
    const id = await worker.start("ended")
    const job = await worker.claimOne("ended", 3 * HOUR_MS)
    await engine.advanceClock(HOUR_MS)
    await fire()
    expect(await worker.complete(await worker.claimOne("ended-late"))).toBe("accepted")
    expect(await worker.get(id)).toMatchObject({ status: "COMPLETED", currentStepIds: [] })
    const road = (await getHistory(engine.kernel, id)).map(({ stepId, status }) => `${stepId} ${status}`)
    expect(road.sort()).toEqual(["ask SKIPPED", "end COMPLETED", "fork COMPLETED", "late COMPLETED", "work SKIPPED"])
    expect(await liveRows(engine.db, id)).toMatchObject({ jobs: 0, timers: 0 })
    expect(await engine.db.script(`select status from millrace.user_tasks where instance_id = '${id}'`)).toEqual([
      { status: "CANCELLED" },
    ])
    expect(await worker.complete(job)).toBe("stale")
    const task = { instanceId: id, stepId: "ask", variables: {}, completedBy: "ann", actor: "local" }
    await expect(completeUserTask(engine.kernel, task)).rejects.toMatchObject({ code: "conflict" })
  })

  test("C-78, S12: 8 concurrent firings are one, in both kinds", async () => {
    for (const definition of ["interrupted", "reminded"]) {
      const id = await worker.start(definition)
      await engine.advanceClock(HOUR_MS)
      await Promise.all(Array.from({ length: 8 }, fire))
      expect(await firings(id)).toBe(1)
      expect((await worker.claim([`${definition}-late`])).filter((job) => job.instanceId === id)).toHaveLength(1)
      await fire()
      expect(await firings(id)).toBe(1)
    }
  })

  test("C-78: goes with its step, when that ends first or its instance is cancelled", async () => {
    const done = await worker.start("interrupted")
    const job = (await worker.claim(["interrupted"], 100)).find(({ instanceId }) => instanceId === done)
    const cancelled = await worker.start("interrupted")
    expect(await timersOf(done)).toBe(1)
    await worker.complete(job as NonNullable<typeof job>)
    await cancelInstance(engine.kernel, { instanceId: cancelled, reason: undefined, actor: "local" })
    for (const id of [done, cancelled]) expect(await timersOf(id)).toBe(0)
    await engine.advanceClock(HOUR_MS)
    await fire()
    expect((await worker.get(done)).status).toBe("COMPLETED")
    expect((await worker.get(cancelled)).status).toBe("CANCELLED")
  })

  test("C-78: one whose step has left or whose instance has ended is consumed and starts nothing", async () => {
    const moved = await worker.start("interrupted")
    await engine.advanceClock(HOUR_MS)
    await fire()
    const ended = await worker.start("interrupted")
    await cancelInstance(engine.kernel, { instanceId: ended, reason: undefined, actor: "local" })
    await engine.db.script(`insert into millrace.timers (instance_id, execution, timer, due_at)
      values ('${moved}', 1, 'boundary:0', millrace.clock()), ('${ended}', 1, 'boundary:0', millrace.clock())`)
    const kinds = [await auditKinds(engine.db, moved), await auditKinds(engine.db, ended)]
    await fire()
    expect([await timersOf(moved), await timersOf(ended)]).toEqual([0, 0])
    expect([await auditKinds(engine.db, moved), await auditKinds(engine.db, ended)]).toEqual(kinds)
    expect(await fire()).toBe(0)
  })

  test("F07, C-78, C-T5: a crash between reading and committing leaves it pending, and it fires later", async () => {
    const id = await worker.start("interrupted")
    await engine.advanceClock(HOUR_MS)
    const crash = async () => {
      throw new Error("killed")
    }
    await expect(fireTimers(engine.kernel, crash)).rejects.toThrow("killed")
    expect(await timersOf(id)).toBe(1)
    expect(await currentOf(id)).toEqual(["work"])
    await fire()
    expect(await currentOf(id)).toEqual(["late"])
  })

  test("C-T5: one instance that cannot be written holds up no other timer", async () => {
    const [bad, good] = [await worker.start("interrupted"), await worker.start("interrupted")]
    await engine.db.script(`create function millrace.spoil() returns trigger language plpgsql as $$
      begin if new.instance_id = '${bad}' then raise exception 'spoilt'; end if; return new; end $$;
      create trigger spoil before insert on millrace.history for each row execute function millrace.spoil()`)
    await engine.advanceClock(HOUR_MS)
    await fire()
    expect(await currentOf(good)).toEqual(["late"])
    expect(await currentOf(bad)).toEqual(["work"])
    await engine.db.script("drop function millrace.spoil cascade")
    await engine.advanceClock(2_000)
    expect(await fire()).toBe(1)
    expect(await currentOf(bad)).toEqual(["late"])
  })

  test(
    "C-T5: sixty instances that another transaction holds do not keep the others' timers, and theirs fire when it lets go",
    async () => {
      const held = await Promise.all(Array.from({ length: 60 }, () => worker.start("interrupted")))
      const healthy = await worker.start("interrupted")
      await engine.advanceClock(HOUR_MS)
      const letGo = await holdInstances(engine.db, held)
      expect(await fire()).toBe(61)
      expect(await currentOf(healthy)).toEqual(["late"])
      await letGo()
      await engine.advanceClock(2_000)
      expect(await fire()).toBe(60)
      for (const id of held) expect(await firings(id)).toBe(1)
    },
    HELD_IN_TURN_MS,
  )

  test("C-78: survives the engine's downtime, and fires with a pool of 2 under load", async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => worker.start("interrupted")))
    await engine.advanceClock(HOUR_MS)
    const small = await openTestCore(engine.dsn, { DB_MAX_CONNS: "2" })
    const busy = Array.from({ length: 20 }, () => drive(small.kernel).start("reminded"))
    await Promise.all([...busy, fireTimers(small.kernel, noTerm)])
    for (const id of ids) expect(await firings(id)).toBe(1)
    await small.stop()
  })
})

describe("the loop", () => {
  test("C-77: a leader fires what falls due without being asked, and after a restart", async () => {
    const own = await createTestEngine()
    const id = await startIn(own, "PT0.2S")
    await until(own, id)
    const later = await startIn(own, "PT1H")
    await own.core.stop()
    const again = await openTestCore(own.dsn)
    await advanceClock(again.kernel, HOUR_MS)
    await until({ kernel: again.kernel }, later)
    await again.stop()
  })

  const startIn = async (own: TestEngine, duration: string) => {
    const id = `loop-${duration.replaceAll(/\W/g, "-")}`
    await own.upload(
      workflow(id, [
        step("WAIT", "work", { nextStep: "end", ...boundary(true, duration) }),
        service("late", "end"),
        end(),
      ]),
    )
    return drive(own.kernel).start(id)
  }

  /** The target's job is claimed as soon as the timer has made it. */
  const until = async ({ kernel }: Pick<TestEngine, "kernel">, id: string) => {
    const job = await drive(kernel).claimOne("late")
    expect(job.instanceId).toBe(id)
    await drive(kernel).complete(job)
  }
})

describe("timeouts of steps and instances", () => {
  test("C-128: timeout.queue fails the step when nobody took its job in time, and not afterwards", async () => {
    await engine.upload(workflow("queued", [service("queued", "end", { timeout: { queue: "PT1M" } }), end()]))
    const [waiting, taken] = [await worker.start("queued"), await worker.start("queued")]
    const jobs = await worker.claim(["queued"], 2, 2 * HOUR_MS)
    await engine.db.script(
      `update millrace.jobs set status = 'ready', epoch = 0, nonce = null where instance_id = '${waiting}'`,
    )
    await engine.advanceClock(60_000)
    await fire()
    expect(await worker.get(waiting)).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("timeout.queue"),
    })
    expect((await worker.get(taken)).status).toBe("ACTIVE")
    expect(await timersOf(taken)).toBe(0)
    const job = jobs.find(({ instanceId }) => instanceId === taken)
    expect(await worker.complete(job as NonNullable<typeof job>)).toBe("accepted")
  })

  test("C-128: timeout.total fails the step over all its attempts", async () => {
    await engine.upload(
      workflow("totalled", [service("totalled", "end", { retryCount: 9, timeout: { total: "PT1M" } }), end()]),
    )
    const id = await worker.start("totalled")
    await worker.fail(await worker.claimOne("totalled"))
    await engine.advanceClock(31_000)
    await worker.claimOne("totalled")
    await engine.advanceClock(31_000)
    await sweepAll(engine.kernel)
    await fire()
    expect(await worker.get(id)).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("timeout.total"),
    })
    expect(await liveRows(engine.db, id)).toEqual({ instances: 0, jobs: 0, timers: 0, tasks: 0 })
  })

  test("C-128: the deadline fails the instance with everything below it, and a retry gives it its time anew", async () => {
    await engine.upload(
      workflow("hurried", [service("hurried", "ask"), step("USER_TASK", "ask", { nextStep: "end" }), end()], {
        deadline: "PT1H",
      }),
    )
    const [late, done] = [await worker.start("hurried"), await worker.start("hurried")]
    for (const job of await worker.claim(["hurried"], 2)) await worker.complete(job)
    const complete = (instanceId: string) =>
      completeUserTask(engine.kernel, { instanceId, stepId: "ask", variables: {}, completedBy: "ann", actor: "local" })
    await complete(done)
    expect(await timersOf(done)).toBe(0)
    await engine.advanceClock(HOUR_MS)
    await fire()
    expect(await worker.get(late)).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("deadline"),
    })
    expect(await liveRows(engine.db, late)).toEqual({ instances: 0, jobs: 0, timers: 0, tasks: 0 })
    await retryInstance(engine.kernel, { instanceId: late, stepId: "ask", variables: undefined, actor: "local" })
    await engine.advanceClock(HOUR_MS / 2)
    await fire()
    expect((await worker.get(late)).status).toBe("WAITING")
    await complete(late)
    expect((await worker.get(late)).status).toBe("COMPLETED")
    expect(await jobRows(engine.db, late)).toEqual([])
  })
})

describe("between the list of due timers and the lock", () => {
  const stepBack = (ms: number) => engine.db.script(`update millrace.test_clock set offset_ms = offset_ms - ${ms}`)

  test("S12, F49: a timer that is not due any more does not fire: the clock of the database has stepped back", async () => {
    const id = await worker.start("parked")
    await engine.advanceClock(HOUR_MS + 1)
    await fireTimers(engine.kernel, async () => void (await stepBack(HOUR_MS)))
    expect([await firings(id), await timersOf(id)]).toEqual([0, 1])
    await engine.advanceClock(HOUR_MS)
    await fire()
    expect(await firings(id)).toBe(1)
  })

  test("S12: the timer of a run that has ended is removed, unless the run is live again by then", async () => {
    const [live, over] = [await worker.start("parked"), "01ARZ3NDEKTSV4RRFFQ69G5FAV"]
    const timers = [live, over].map((instanceId) => ({ instanceId, execution: 0, timer: "deadline" }))
    for (const { instanceId } of timers)
      await engine.db.script(`insert into millrace.timers values ('${instanceId}', 0, 'deadline', millrace.clock())`)
    await engine.db.transaction(async (tx) => deleteOrphanTimers(tx, timers))
    expect([await timersOf(live), await timersOf(over)]).toEqual([2, 0])
    await cancelInstance(engine.kernel, { instanceId: live, reason: undefined, actor: "local" })
  })
})
