// Housekeeping on a real database: weeks made ahead, weeks dropped when nobody needs them any more, old keys forgotten.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { listWeeks, weekOf } from "../../store/upkeep/partitions.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../../test-support/database-clock.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { countRows } from "../../test-support/rows.ts"
import { openTestCore } from "../../test-support/test-core.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import { getHistory } from "../instances/read-history.ts"
import { restartInstance } from "../instances/restart-instance.ts"
import { retryInstance } from "../instances/retry-instance.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { createWeeks, keepHouse } from "./keep-house.ts"

const WEEK_MS = 7 * 24 * 3_600_000

let database: { dsn: string; drop(): Promise<void> }
let kernel: Kernel
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  database = await createTestDatabase()
  kernel = await createBareKernel(database.dsn)
  await stopClock(kernel)
  worker = drive(kernel)
  const one = (id: string, more = {}) =>
    uploadDefinition(kernel, { document: workflow(id, [service(id, "end"), end()], more), actor: "local" })
  await one("plain")
  await one("brief", { retain: "P1D" })
  await one("kept", { retain: "P90D" })
})
beforeEach(() => createWeeks(kernel))
afterAll(async () => {
  await kernel.db.close()
  await database.drop()
})

const weeks = async () => (await listWeeks(kernel.db)).map(({ name }) => name)
const thisWeek = () => weekOf(kernel.clock.nowMs()).name
const pass = (ms: number) => advanceClock(kernel, ms)

async function finish(id: string): Promise<string> {
  const instanceId = await worker.start(id)
  await worker.complete(await worker.claimOne(id))
  return instanceId
}

/** What the week of an instance is called, and that all its tables have it. */
async function weekHolds(name: string): Promise<boolean> {
  const rows = await kernel.db.script(
    `select count(*) as n from pg_tables where schemaname = 'millrace' and tablename like '%\\_${name}'
       and tablename not like 'events%'`,
  )
  expect([0, 6]).toContain(rows[0]?.n)
  return rows[0]?.n === 6
}

test("C-128: this week and the next two have partitions before anything falls into them", async () => {
  const now = kernel.clock.nowMs()
  for (const ahead of [0, 1, 2]) expect(await weekHolds(weekOf(now + ahead * WEEK_MS).name)).toBe(true)
  await finish("plain")
  for (const table of ["finished_instances", "history", "audit"])
    expect(
      await countRows(
        kernel.db,
        `${table}_default`,
        `not starts_with(${table === "finished_instances" ? "id" : "instance_id"}, 'definition:')`,
      ),
    ).toBe(0)
})

test("C-128: a week is dropped whole when all its instances are terminal and past their retention, and not before", async () => {
  const week = thisWeek()
  const id = await finish("plain")
  await pass(WEEK_MS)
  await keepHouse(kernel)
  expect(await weekHolds(week)).toBe(true)
  expect(await getHistory(kernel, id)).toHaveLength(2)
  await pass(30 * 24 * 3_600_000)
  await keepHouse(kernel)
  expect(await weekHolds(week)).toBe(false)
  await expect(getHistory(kernel, id)).rejects.toMatchObject({ code: "not-found" })
  expect(await weeks()).toContain(thisWeek())
})

test("C-128: which instance took the place of which is forgotten with the week of either", async () => {
  const restarts = () => countRows(kernel.db, "restarts", "true")
  const id = await finish("plain")
  await restartInstance(kernel, { instanceId: id, actor: "local" })
  await worker.complete(await worker.claimOne("plain"))
  expect(await restarts()).toBe(1)
  await pass(40 * 24 * 3_600_000)
  await keepHouse(kernel)
  expect(await restarts()).toBe(0)
})

test("C-128: one live instance keeps its week, however old", async () => {
  const week = thisWeek()
  const [done, live] = [await finish("brief"), await worker.start("brief")]
  await pass(20 * WEEK_MS)
  await keepHouse(kernel)
  expect(await weekHolds(week)).toBe(true)
  expect(await getHistory(kernel, done)).toHaveLength(2)
  await worker.complete(await worker.claimOne("brief"))
  await keepHouse(kernel)
  expect(await weekHolds(week)).toBe(true)
  // Retention counts from the end, not from the start.
  await pass(25 * 3_600_000)
  await keepHouse(kernel)
  expect(await weekHolds(week)).toBe(false)
  await expect(getHistory(kernel, live)).rejects.toMatchObject({ code: "not-found" })
})

test("C-128: a definition's own retention is a minimum for the whole week", async () => {
  const week = thisWeek()
  await finish("brief")
  await finish("kept")
  await pass(60 * 24 * 3_600_000)
  await keepHouse(kernel)
  expect(await weekHolds(week)).toBe(true)
  await pass(31 * 24 * 3_600_000)
  await keepHouse(kernel)
  expect(await weekHolds(week)).toBe(false)
})

test("C-128: a failed instance that was retried by hand keeps its week while it runs", async () => {
  const week = thisWeek()
  const id = await worker.start("brief")
  await worker.fail(await worker.claimOne("brief"), "broken", false)
  await retryInstance(kernel, { instanceId: id, stepId: "brief", variables: undefined, actor: "local" })
  await pass(10 * WEEK_MS)
  await keepHouse(kernel)
  expect(await weekHolds(week)).toBe(true)
  await worker.complete(await worker.claimOne("brief"))
})

test("what falls into no week, after a leap of the clock, is kept and stops neither housekeeping nor a start", async () => {
  await pass(8 * WEEK_MS)
  const id = await finish("plain")
  expect(await countRows(kernel.db, "finished_instances_default", `id = '${id}'`)).toBe(1)
  await keepHouse(kernel)
  expect(await getHistory(kernel, id)).toHaveLength(2)
  const core = await openTestCore(database.dsn)
  await core.stop()
  expect(await weekHolds(weekOf(kernel.clock.nowMs() + WEEK_MS).name)).toBe(true)
})

test("C-09: replicas that start together on one new week all start", async () => {
  await pass(5 * WEEK_MS)
  const others = await Promise.all(Array.from({ length: 4 }, () => createBareKernel(database.dsn, 2)))
  await Promise.all(others.map((other) => createWeeks(other)))
  expect(await weekHolds(thisWeek())).toBe(true)
  await Promise.all(others.map((other) => other.db.close()))
})

test("keys of requests are forgotten after a day, however many there are", async () => {
  await kernel.db.script(`insert into millrace.request_keys (scope, key, digest, status, created_at)
    select 's', 'old-' || n, ''::bytea, 200, millrace.clock() - interval '25 hours' from generate_series(1, 25000) n
    union all select 's', 'young', ''::bytea, 200, millrace.clock() - interval '23 hours'`)
  await keepHouse(kernel)
  expect(await kernel.db.script("select key from millrace.request_keys")).toEqual([{ key: "young" }])
})
