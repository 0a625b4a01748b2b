// Schedules on a real database: each tick once, whoever fires it and whatever happens in between.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Row } from "../../db/train.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock } from "../../test-support/database-clock.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { noTerm } from "../../test-support/loops.ts"
import { countRows } from "../../test-support/rows.ts"
import { createScheduleEngine, driveSchedules, MINUTE_MS, type Schedules } from "../../test-support/schedules.ts"
import type { TestEngine } from "../../test-support/test-engine.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { keepHouse } from "../upkeep/keep-house.ts"
import { termProof } from "../upkeep/take-pulse.ts"
import { fireSchedules } from "./fire-schedules.ts"
import { getSchedule, listScheduleRuns } from "./read-schedules.ts"
import { deleteSchedule } from "./schedules.ts"

let engine: TestEngine
let kernel: Kernel
let worker: ReturnType<typeof drive>
let schedules: Schedules

beforeAll(async () => {
  engine = await createScheduleEngine()
  kernel = engine.kernel
  worker = drive(kernel)
  schedules = driveSchedules(kernel)
})
beforeEach(() => schedules.clear())
afterAll(() => engine.close())

describe("the scheduler", () => {
  test("B-01: fires every minute, with the input as variables, and says when it fires next", async () => {
    await schedules.minutely("m", { input: { region: "eu" } })
    const first = await schedules.toNextTick("m")
    expect(await schedules.fire()).toBe(1)
    const [run] = await schedules.runs("m")
    expect(run).toMatchObject({ dueAt: new Date(first).toISOString(), cause: "cron", outcome: "started" })
    expect(await worker.get(run?.workId ?? "")).toMatchObject({ definitionId: "sweep", variables: { region: "eu" } })
    const schedule = await getSchedule(kernel, "m")
    const following = [1, 2, 3, 4].map((n) => new Date(first + n * MINUTE_MS).toISOString())
    expect([schedule.nextAt, ...schedule.upcoming]).toEqual(following)
    expect(schedule).toMatchObject({ lastWorkId: run?.workId, lastFiredAt: expect.any(String) })
    expect(await schedules.fire()).toBe(0)
    await schedules.endWork()
    await schedules.tick("m")
    expect(await schedules.outcomes("m")).toEqual(["started", "started"])
  })

  test("S12: one that was put off after it was listed does not fire, and stays where it was put", async () => {
    await schedules.minutely("m")
    const first = await schedules.toNextTick("m")
    const later = new Date(first + 90_000).toISOString()
    await fireSchedules(kernel, async () => {
      await engine.db.script(`update millrace.schedules set next_at = '${later}' where id = 'm'`)
    })
    expect(await schedules.runs("m")).toEqual([])
    expect((await getSchedule(kernel, "m")).nextAt).toBe(later)
  })

  test("B-01, B-T9: disabled, nothing runs; enabled again, it goes on from now", async () => {
    await schedules.minutely("m")
    await schedules.minutely("m", { enabled: false })
    expect(await getSchedule(kernel, "m")).toMatchObject({ enabled: false, upcoming: [] })
    await advanceClock(kernel, 10 * MINUTE_MS)
    expect([await schedules.fire(), await schedules.runs("m")]).toEqual([0, []])
    await schedules.minutely("m", { catchUp: "all" })
    expect([await schedules.fire(), await schedules.runs("m")]).toEqual([0, []])
    await schedules.tick("m")
    expect(await schedules.outcomes("m")).toEqual(["started"])
  })

  test("B-T9: what waits when it is disabled or deleted does not begin", async () => {
    for (const id of ["off", "gone"]) {
      await schedules.minutely(id, { overlap: "queue" })
      await schedules.tick(id)
      await schedules.tick(id)
      expect(await schedules.outcomes(id)).toEqual(["started", "queued"])
    }
    await schedules.minutely("off", { overlap: "queue", enabled: false })
    await deleteSchedule(kernel, "gone", { actor: "ada" })
    for (const job of await worker.claim(["sweep"], 100)) await worker.complete(job)
    expect(await schedules.fire()).toBe(0)
    const stopped = (await schedules.runs("off")).find(({ detail }) => detail === "the schedule was disabled")
    expect(stopped).toMatchObject({ outcome: "skipped" })
    expect(await countRows(engine.db, "schedule_runs", "outcome = 'queued'")).toBe(0)
  })

  test("a definition that nobody knows fails the run with its reason, and holds up nobody", async () => {
    await schedules.minutely("bad", { definitionId: "nobody" })
    await schedules.minutely("good")
    await schedules.toNextTick("bad")
    expect(await schedules.fire()).toBe(2)
    expect(await schedules.runs("bad")).toMatchObject([{ outcome: "failed", detail: "there is no definition nobody" }])
    expect(await schedules.outcomes("good")).toEqual(["started"])
    await schedules.tick("bad")
    expect(await schedules.outcomes("bad")).toEqual(["failed", "failed"])
  })

  test("input that does not fit the definition fails the run, too", async () => {
    const inputSchema = { properties: { n: { type: "number" } }, required: ["n"] }
    await engine.upload(workflow("strict", [end()], { inputSchema }))
    await schedules.minutely("m", { definitionId: "strict" })
    await schedules.tick("m")
    expect(await schedules.runs("m")).toMatchObject([
      { outcome: "failed", detail: expect.stringContaining("input schema") },
    ])
  })

  test("a newer version of another process is what starts", async () => {
    await schedules.minutely("m", { definitionId: "grows" })
    await engine.upload(workflow("grows", [end()]))
    await schedules.tick("m")
    const other = await createBareKernel(engine.dsn)
    await uploadDefinition(other, { document: workflow("grows", [service("grows", "end"), end()]), actor: "local" })
    await schedules.toNextTick("m")
    // At most one more round: the next pulse finds it still due.
    for (let round = 0; round < 2; round++) await schedules.fire()
    const [, second] = await schedules.runs("m")
    expect(await worker.get(second?.workId ?? "")).toMatchObject({ definitionVersion: 2 })
    await other.db.close()
  })

  test("put again with the same times, a tick that is due is not lost", async () => {
    await schedules.minutely("m")
    const dueAt = await schedules.toNextTick("m")
    await schedules.minutely("m", { input: { changed: true } })
    expect((await getSchedule(kernel, "m")).nextAt).toBe(new Date(dueAt).toISOString())
    await schedules.minutely("m", { cron: "*/5 * * * *" })
    expect(Date.parse((await getSchedule(kernel, "m")).nextAt ?? "")).toBeGreaterThan(dueAt)
  })

  test("times that cannot be read any more stop that schedule, and no other", async () => {
    await schedules.minutely("odd")
    await schedules.minutely("m")
    await engine.db.script("update millrace.schedules set timezone = 'Mars/Olympus' where id = 'odd'")
    await schedules.toNextTick("m")
    expect(await schedules.fire()).toBe(2)
    expect(await getSchedule(kernel, "odd")).toMatchObject({ upcoming: [] })
    expect(await schedules.outcomes("m")).toEqual(["started"])
  })
})

describe("exactly once", () => {
  test("B-X6: two replicas at once, each tick once", async () => {
    const other = await createBareKernel(engine.dsn)
    for (const id of ["a", "b", "c"]) await schedules.minutely(id, { overlap: "cancel" })
    for (let round = 0; round < 5; round++) {
      await schedules.toNextTick("a")
      await Promise.all([kernel, other, kernel, other].map((one) => fireSchedules(one, noTerm)))
    }
    for (const id of ["a", "b", "c"]) {
      const all = await schedules.runs(id)
      expect(all.map(({ outcome }) => outcome)).toEqual(Array(5).fill("started"))
      expect(new Set(all.map(({ dueAt }) => dueAt)).size).toBe(5)
    }
    const started = "definition_id = 'sweep' and input = '{}'"
    expect(await countRows(engine.db, "instances", started)).toBe(3)
    await other.db.close()
  })

  test("B-X6: two replicas at once, and of those that wait one begins", async () => {
    const other = await createBareKernel(engine.dsn)
    await schedules.minutely("m", { catchUp: "all" })
    await schedules.toNextTick("m", 10 * MINUTE_MS)
    await schedules.fire()
    for (let started = 2; started < 6; started++) {
      await schedules.endWork()
      await Promise.all([kernel, other, kernel, other].map((one) => fireSchedules(one, noTerm)))
      expect(await countRows(engine.db, "schedule_runs", "outcome = 'started'")).toBe(started)
    }
    await other.db.close()
  })

  test("B-X6: a leader whose term is over fires nothing", async () => {
    await schedules.minutely("m")
    await schedules.toNextTick("m")
    await expect(fireSchedules(kernel, termProof("schedules", 1))).rejects.toMatchObject({ code: "MR002" })
    expect(await schedules.runs("m")).toEqual([])
  })

  test("B-X6: a tick that has its run is not fired again, though the schedule was set back", async () => {
    await schedules.minutely("m", { overlap: "cancel" })
    const dueAt = await schedules.toNextTick("m")
    await schedules.fire()
    const [first] = await schedules.runs("m")
    await engine.db.script(`update millrace.schedules set next_at = to_timestamp(${dueAt / 1000})`)
    await schedules.fire()
    expect(await schedules.runs("m")).toEqual([first])
    expect((await worker.get(first?.workId ?? "")).status).toBe("ACTIVE")
  })

  // A crash is a transaction that is not committed, at whichever of its writes.
  test.each([
    ["the run", "schedule_runs", "insert"],
    ["what it starts", "instances", "insert"],
    ["the run's outcome", "schedule_runs", "update"],
    ["the next time", "schedules", "update"],
  ])("a crash at %s leaves nothing behind, and the tick is fired later", async (_, table, verb) => {
    await schedules.minutely("m")
    const dueAt = await schedules.toNextTick("m")
    const before = await countRows(engine.db, "instances")
    await engine.db.script(`create function millrace.crash() returns trigger language plpgsql as
      $$ begin raise exception 'terminating connection' using errcode = '57P01'; end $$;
      create trigger crash before ${verb} on millrace.${table} for each row execute function millrace.crash()`)
    await expect(schedules.fire()).rejects.toMatchObject({ code: "57P01" })
    await engine.db.script("drop function millrace.crash() cascade")
    expect([await schedules.runs("m"), await countRows(engine.db, "instances")]).toEqual([[], before])
    expect((await getSchedule(kernel, "m")).nextAt).toBe(new Date(dueAt).toISOString())
    expect(await schedules.fire()).toBe(1)
    expect(await schedules.runs("m")).toMatchObject([{ outcome: "started", dueAt: new Date(dueAt).toISOString() }])
    expect(await countRows(engine.db, "instances")).toBe(before + 1)
  })

  test("a statement that fails for good fails its run, not the schedule, nor the others", async () => {
    await schedules.minutely("m")
    await schedules.minutely("other", { definitionId: "fine" })
    await engine.upload(workflow("fine", [end()]))
    await engine.db.script(`create function millrace.lose_disk() returns trigger language plpgsql as
      $$ begin raise exception 'the disk has gone' using errcode = 'P0001'; end $$;
      create trigger lose_disk before insert on millrace.instances for each row execute function millrace.lose_disk()`)
    await schedules.toNextTick("m")
    await schedules.fire()
    await engine.db.script("drop function millrace.lose_disk() cascade")
    expect(await schedules.runs("m")).toMatchObject([{ outcome: "failed", detail: "the disk has gone" }])
    expect(await schedules.outcomes("other")).toEqual(["started"])
    await schedules.tick("m")
    expect(await schedules.outcomes("m")).toEqual(["failed", "started"])
  })

  test("F42: a statement that is cancelled costs no tick: it is tried again", async () => {
    await schedules.minutely("m")
    await engine.db.script(`create function millrace.cancel() returns trigger language plpgsql as
      $$ begin raise exception 'canceling statement' using errcode = '57014'; end $$;
      create trigger cancel before insert on millrace.instances for each row execute function millrace.cancel()`)
    await schedules.toNextTick("m")
    await schedules.fire()
    await engine.db.script("drop function millrace.cancel() cascade")
    expect(await schedules.runs("m")).toEqual([])
    await engine.advanceClock(2_000)
    await schedules.fire()
    expect(await schedules.outcomes("m")).toEqual(["started"])
  })

  test("B-T9: disabled in the very moment it is due, it does not fire", async () => {
    await schedules.minutely("m")
    await schedules.toNextTick("m")
    const client = await engine.db.dedicated()
    await client.query("begin; update millrace.schedules set enabled = false, next_at = null")
    const { fired } = await fireBlocked()
    await client.query("commit")
    client.release()
    expect([await fired, await schedules.runs("m")]).toEqual([0, []])
  })

  /** A round that is seen to wait for a schedule. It waits for half a second only: one that has given up unseen is followed by another. */
  async function fireBlocked(): Promise<{ readonly fired: Promise<number> }> {
    const waiting = `select from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like '%millrace.schedules%'`
    for (;;) {
      let isOver = false
      const fired = schedules.fire().finally(() => {
        isOver = true
      })
      while (!isOver) if ((await engine.db.script(waiting)).length > 0) return { fired }
      await fired
    }
  }

  test("a schedule that somebody holds is fired later, and holds up nobody", async () => {
    await schedules.minutely("held")
    await schedules.minutely("m")
    await schedules.toNextTick("m")
    const client = await engine.db.dedicated()
    await client.query("begin")
    await client.query("select from millrace.schedules where id = 'held' for update")
    expect(await schedules.fire()).toBe(1)
    await client.query("rollback")
    client.release()
    expect(await schedules.fire()).toBe(1)
    expect([await schedules.outcomes("held"), await schedules.outcomes("m")]).toEqual([["started"], ["started"]])
  })
})

describe("history", () => {
  test("history: newest first, in pages that neither repeat nor leave out", async () => {
    await schedules.minutely("m")
    for (let n = 0; n < 5; n++) await schedules.tick("m")
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await listScheduleRuns(kernel, "m", { cursor, pageSize: 2 })
      seen.push(...page.items.map(({ dueAt }) => dueAt))
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    expect(seen).toEqual((await schedules.runs("m")).map(({ dueAt }) => dueAt).reverse())
    expect(seen).toHaveLength(5)
    await expect(listScheduleRuns(kernel, "nothing", { pageSize: 2 })).rejects.toMatchObject({ code: "not-found" })
    await expect(listScheduleRuns(kernel, "m", { cursor: "x", pageSize: 2 })).rejects.toMatchObject({
      code: "bad-request",
    })
  })

  test("history: it is kept as long as anything else, and what waits is kept for longer", async () => {
    await schedules.minutely("m", { overlap: "queue" })
    for (let n = 0; n < 3; n++) await schedules.tick("m")
    await engine.db.script("update millrace.schedule_runs set fired_at = fired_at - interval '31 days'")
    await keepHouse(kernel)
    expect(await schedules.outcomes("m")).toEqual(["queued"])
  })

  test("who changed a schedule is written down", async () => {
    await schedules.minutely("m")
    await deleteSchedule(kernel, "m", { actor: "grace" })
    const changes: Row[] = await engine.db.script(
      "select actor, kind, name from millrace.changes where name = 'm' order by id desc limit 2",
    )
    expect(changes).toEqual([
      { actor: "grace", kind: "schedule", name: "m" },
      { actor: "ada", kind: "schedule", name: "m" },
    ])
  })
})
