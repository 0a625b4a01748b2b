// Queues of job types that are gone: removed in the end, and never in the way of a job.
import { afterEach, beforeEach, expect, test } from "vitest"
import { ensureQueues, type QueueKey, removeQueues } from "../../store/flow/queues.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../../test-support/database-clock.ts"
import { drive } from "../../test-support/drive.ts"
import { noTerm } from "../../test-support/loops.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import { DepthFolder } from "../flow/fold-depths.ts"
import { QueueRegistry, queuesOf } from "../flow/queue-registry.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { examine } from "./doctor.ts"
import { createWeeks, keepHouse } from "./keep-house.ts"
import { takePulse } from "./take-pulse.ts"

const DAY_MS = 24 * 3_600_000
/** Longer than a queue is retired before it goes, and than a week of records is kept. */
const MONTHS_MS = 40 * DAY_MS

const MAIL: QueueKey = { priority: "normal", jobType: "mail", definitionId: "", downstream: "" }

let database: { dsn: string; drop(): Promise<void> }
let kernel: Kernel
let other: Kernel

beforeEach(async () => {
  database = await createTestDatabase()
  kernel = await createBareKernel(database.dsn)
  other = await createBareKernel(database.dsn)
  for (const each of [kernel, other]) await stopClock(each)
  await createWeeks(kernel)
})
afterEach(async () => {
  await database.drop()
  await Promise.all([kernel.db.close(), other.db.close()])
})

const enqueue = async (by: Kernel, jobType = "mail"): Promise<string> =>
  (await enqueueJob(by, { jobType, payload: {}, whenFull: "refuse", actor: "local" })).job.id

const queues = (where = "true") => countRows(kernel.db, "queues", where)
const finish = async (by: Kernel, jobType = "mail") => drive(by).complete(await drive(by).claimOne(jobType))

/** Time passes, and each process notices: the clock, the counters, the house, and a pulse. */
async function pass(ms: number, awake: readonly Kernel[] = [kernel, other]): Promise<void> {
  await advanceClock(kernel, ms)
  await new DepthFolder(kernel).fold(noTerm)
  await keepHouse(kernel)
  for (const each of awake) await takePulse(each, each.processId, 0, [])
}

async function retire(awake?: readonly Kernel[]): Promise<void> {
  await pass(2 * DAY_MS, awake)
  expect(await queues("retired_at is not null")).toBe(1)
}

/** Other tests use the same server: their transactions hold a removal up as well. */
async function remove(): Promise<void> {
  for (let rows = [{}]; rows.length > 0; )
    rows = await kernel.db.script(
      "select from millrace.queues where retired_in >= pg_snapshot_xmin(pg_current_snapshot())",
    )
  await pass(MONTHS_MS)
  expect(await queues()).toBe(0)
}

test("the queue of a job type that is gone is removed once its records are", async () => {
  await enqueue(kernel)
  await finish(kernel)
  await retire()
  await remove()
  expect(await countRows(kernel.db, "depths")).toBe(0)
  expect(queuesOf(other).all).toEqual([])
})

test("a type that comes back is ensured again: the same queue while it is retired, a new one after", async () => {
  await enqueue(kernel)
  await finish(kernel)
  const [before] = queuesOf(kernel).all
  await retire()
  expect(queuesOf(other).ofTypes(["mail"])).toEqual([before])
  await enqueue(other)
  await finish(kernel)
  expect(await queues("retired_at is null")).toBe(1)
  await retire()
  await remove()
  for (const by of [kernel, other]) {
    await enqueue(by)
    await finish(by)
  }
  expect(queuesOf(kernel).ofTypes(["mail"])).toMatchObject([{ jobType: "mail", priority: "normal" }])
  expect(queuesOf(kernel).all[0]?.id).not.toBe(before?.id)
})

const NAMERS = {
  "a live job": `insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, created_at)
    select 'x', 0, id, 'held', 1, 'mail', 0, millrace.clock() from millrace.queues`,
  "a delta of its depth": "insert into millrace.depth_deltas (queue_id, delta) select id, 1 from millrace.queues",
  "a dead letter": `insert into millrace.dead_letters (id, source, instance_id, execution, step_id, queue_id, reason, error,
      failure, attempts, retry_count, dead_at)
    select 'x', 'step', 'x', 1, 'mail', id, 'exhausted', 'no', 'no', 1, 0, millrace.clock() from millrace.queues`,
  "the record of a job": `insert into millrace.history (instance_id, execution, step_id, step_type, attempt, status, started_at,
      ended_at, seq, queue_id)
    select 'x', 0, 'mail', 'SERVICE_TASK', 1, 'COMPLETED', millrace.clock(), millrace.clock(), 1, id from millrace.queues`,
  "a worker that asks for it": "update millrace.queues set polled_at = millrace.clock()",
}

test.each(Object.entries(NAMERS))("a queue stays for %s", async (_, name) => {
  await ensureQueues(kernel.db, [MAIL])
  await kernel.db.script("update millrace.queues set retired_at = '-infinity', retired_in = '3'")
  await kernel.db.script(name)
  expect(await removeQueues(kernel.db, DAY_MS)).toEqual([])
  expect(await queues()).toBe(1)
})

test("a queue is retired when it has no jobs and no worker asks for it", async () => {
  for (const jobType of ["waits", "asked", "idle"]) await enqueue(kernel, jobType)
  for (const jobType of ["asked", "idle"]) await finish(kernel, jobType)
  await takePulse(kernel, kernel.processId, 0, [])
  await advanceClock(kernel, 2 * DAY_MS)
  queuesOf(kernel).notePoll(["asked"])
  await takePulse(kernel, kernel.processId, 0, [])
  await pass(0)
  const retired = await kernel.db.script("select job_type as type from millrace.queues where retired_at is not null")
  expect(retired).toEqual([{ type: "idle" }])
})

test("S1: a process that has not heard of it enqueues into a retired queue: the job is claimed, and the queue stays", async () => {
  await enqueue(kernel)
  await finish(kernel)
  await queuesOf(other).refresh()
  await retire([kernel])
  const id = await enqueue(other)
  expect(await queues("retired_at is not null")).toBe(1)
  await pass(MONTHS_MS)
  expect(await queues()).toBe(1)
  expect((await drive(kernel).claimOne("mail")).id).toBe(id)
})

test("S1: a transaction that was open when the queue was retired may still bring its job", async () => {
  await enqueue(kernel)
  await finish(kernel)
  const caller = await other.db.dedicated()
  await caller.query("begin")
  await caller.query(`insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, created_at)
    select 'late', 0, id, 'ready', 1, 'mail', 0, millrace.clock() from millrace.queues`)
  await retire()
  await pass(MONTHS_MS)
  await pass(MONTHS_MS)
  expect(await queues()).toBe(1)
  await caller.query("commit")
  caller.release()
  await pass(MONTHS_MS)
  await pass(MONTHS_MS)
  expect(await queues()).toBe(1)
  expect((await examine(kernel)).map(({ name }) => name)).not.toContain("jobsWithoutQueue")
})

test("S1: a process that has heard nothing for long trusts none of its numbers", async () => {
  let nowMs = 0
  const registry = new QueueRegistry(other.db, () => nowMs)
  await registry.ensure([MAIL])
  const before = registry.idOf(MAIL)
  await kernel.db.script("delete from millrace.queues")
  expect(registry.knows(MAIL)).toBe(true)
  nowMs += DAY_MS
  expect(registry.knows(MAIL)).toBe(false)
  await registry.ensure([MAIL])
  expect(registry.idOf(MAIL)).not.toBe(before)
})

test("S1: an enqueue that meets the removal waits for it, and makes the queue anew", async () => {
  await enqueue(kernel)
  await finish(kernel)
  await queuesOf(other).refresh()
  await retire()
  await advanceClock(kernel, MONTHS_MS)
  const remover = await kernel.db.dedicated()
  await remover.query("begin")
  await remover.query("select from millrace.queues for update")
  const accepted = enqueue(other)
  await untilOneWaits()
  await remover.query("delete from millrace.queues")
  await remover.query("commit")
  remover.release()
  const id = await accepted
  await queuesOf(kernel).refresh()
  expect((await drive(kernel).claimOne("mail")).id).toBe(id)
})

test("S1: a removal that meets an enqueue leaves the queue alone", async () => {
  await enqueue(kernel)
  await finish(kernel)
  await retire()
  await advanceClock(kernel, MONTHS_MS)
  const reviver = await other.db.dedicated()
  await reviver.query("begin")
  await reviver.query("update millrace.queues set retired_at = null, retired_in = null")
  expect(await removeQueues(kernel.db, DAY_MS)).toEqual([])
  await reviver.query("commit")
  reviver.release()
  expect(await removeQueues(kernel.db, DAY_MS)).toEqual([])
  expect(await queues("retired_at is null")).toBe(1)
})

test("processes that ask for one queue at the same time are all given it, retired or not", async () => {
  const keys = ["a", "b", "c"].map((jobType) => ({ ...MAIL, jobType }))
  await ensureQueues(kernel.db, keys)
  await kernel.db.script("update millrace.queues set retired_at = millrace.clock(), retired_in = pg_current_xact_id()")
  const asked = Array.from({ length: 8 }, (_, n) =>
    ensureQueues([kernel, other][n % 2]?.db as Kernel["db"], n % 3 === 0 ? [...keys].reverse() : keys),
  )
  await Promise.all(asked)
  expect(await queues("retired_at is null")).toBe(3)
})

/** Another backend waits for a lock on this database. */
async function untilOneWaits(): Promise<void> {
  for (;;) {
    const rows = await kernel.db.script(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    if (rows.length > 0) return
  }
}
