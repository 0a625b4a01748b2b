// The flush in a running engine: by itself while there is something, once more at the end, and never without a reason.
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Core } from "../core.ts"
import { Database } from "../db/database.ts"
import { uploadDefinition } from "../operations/definitions/upload-definition.ts"
import { enqueueJob } from "../operations/jobs/enqueue/enqueue-job.ts"
import { end, service, workflow } from "../test-support/definitions.ts"
import { drive } from "../test-support/drive.ts"
import { eventually } from "../test-support/mills.ts"
import { createStatementWatch, type StatementWatch } from "../test-support/statement-watch.ts"
import { openTestCore } from "../test-support/test-core.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"

let database: { dsn: string; drop(): Promise<void> }
let tables: Database
let watch: StatementWatch
let core: Core

const open = (dsn: string) => openTestCore(dsn)

beforeAll(async () => {
  database = await createTestDatabase()
  tables = new Database({ dsn: database.dsn, schema: "millrace", maxConnections: 1 })
  watch = await createStatementWatch(database.dsn)
  core = await open(watch.dsn)
  const document = workflow("flow", [service("work", "end"), end()])
  await uploadDefinition(core.kernel, { document, actor: "local" })
})
afterAll(async () => {
  await watch.close()
  await tables.close()
  await database.drop()
})

const sent = (text: string) => watch.statements.filter((statement) => statement.includes(text)).length
const flushes = () => sent("insert into millrace.counter_series")
const gaugeReads = () => sent("as dead_letters")
const beats = () => sent("insert into millrace.processes")
const started = async () => {
  const rows = await tables.script(
    "select span, sum(started) as n from millrace.counter_series group by span order by span",
  )
  return rows.map(({ n }) => Number(n))
}
/** More than one flush could have been sent in this time. */
const quiet = async () => {
  watch.forget()
  await eventually(beats).toBeGreaterThan(4)
}

const newest = async (gauge: string) => {
  const [row] = await tables.script(
    `select ${gauge} as value from millrace.counter_series where span = 2 and ${gauge} is not null order by at desc limit 1`,
  )
  return row?.value
}

test("C-122: what happens is written down without anybody asking", async () => {
  for (let n = 0; n < 3; n++) await drive(core.kernel).start("flow")
  await eventually(started).toEqual([3, 3, 3])
})

test("depths come with the meter, leases with the pulse: a claim leaves no delta", async () => {
  await enqueueJob(core.kernel, { jobType: "alone", payload: {}, whenFull: "refuse", actor: "local" })
  await eventually(() => newest("depth_normal")).toBe(1)
  expect(await newest("leased")).toBe(0)
  const job = await drive(core.kernel).claimOne("alone")
  await eventually(() => newest("leased")).toBe(1)
  await drive(core.kernel).complete(job)
  await eventually(() => newest("leased")).toBe(0)
  expect(await newest("depth_normal")).toBe(0)
})

test("workers that ask are written down with it", async () => {
  expect(await tables.script("select worker_id, job_types from millrace.worker_sightings")).toEqual([
    { worker_id: "w1", job_types: ["alone"] },
  ])
})

test("an idle engine writes nothing and asks for nothing", async () => {
  await tables.script("truncate millrace.jobs, millrace.depth_deltas")
  await quiet()
  await quiet()
  expect([flushes(), gaugeReads()]).toEqual([0, 0])
})

test("what was counted last is written when the process stops", async () => {
  const other = await open(database.dsn)
  const before = await started()
  for (let n = 0; n < 2; n++) await drive(other.kernel).start("flow")
  await other.stop()
  await core.stop()
  expect(await started()).toEqual(before.map((n) => n + 2))
})
