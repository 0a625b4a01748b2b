// The doctor's command on a real database: healthy, with a wound, and with a check that is not answered.
import { afterAll, beforeAll, expect, test } from "vitest"
import { Database } from "../../../db/database.ts"
import { CHECKS } from "../../../operations/upkeep/doctor.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops } from "../../../test-support/loops.ts"
import { checkStatement } from "../../../test-support/store-statements.ts"
import { createTestDatabase, createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { runDoctor } from "./doctor.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

/** As the command opens it: with one connection. */
async function examined(dsn = engine.dsn, schema = "millrace"): Promise<{ exitCode: number; text: string }> {
  const db = new Database({ dsn, schema, maxConnections: 1, applicationName: "the doctor" })
  const lines: string[] = []
  try {
    return { exitCode: await runDoctor(db, (line) => lines.push(line)), text: lines.join("\n") }
  } finally {
    await db.close()
  }
}

test("says that all is well, or what is wrong with which instance and what to do", async () => {
  await engine.upload(workflow("sick", [service("a", "end"), end()]))
  const id = await drive(engine.kernel).start("sick")
  expect(await examined()).toMatchObject({ exitCode: 0, text: expect.stringMatching(/^All is well: \d+ checks/) })
  await engine.db.script(`delete from millrace.jobs where instance_id = '${id}'`)
  const { exitCode, text } = await examined()
  expect(exitCode).toBe(1)
  expect(text).toContain("stepsWithoutWork")
  expect(text).toContain(id)
  expect(text).toContain("What to do:")
  await engine.db.script("truncate millrace.instances, millrace.audit, millrace.depth_deltas, millrace.depths")
})

const readersOf = (table: string): string[] =>
  CHECKS.map(({ name }) => name).filter((name) => checkStatement(name).text.includes(`millrace.${table} `))

/** Ends what the doctor waits for until it is done, as a time-out of the server's would. */
async function cancelWhenWaiting(isDone: () => boolean): Promise<void> {
  const watch = await engine.db.dedicated()
  while (!isDone()) {
    await watch.query(`select pg_cancel_backend(pid) from pg_stat_activity
      where application_name = 'the doctor' and datname = current_database() and wait_event_type = 'Lock'`)
  }
  watch.release()
}

test("RG19: a check that is cut off is named with what to do, the others go on, and the exit code tells", async () => {
  const holder = await engine.db.dedicated()
  await holder.query("begin")
  await holder.query("lock table millrace.timers in access exclusive mode")
  let done = false
  const answer = examined().finally(() => {
    done = true
  })
  await cancelWhenWaiting(() => done)
  await holder.query("rollback")
  holder.release()
  const { exitCode, text } = await answer
  expect(exitCode).toBe(3)
  const cut = readersOf("timers")
  for (const check of cut) expect(text).toContain(`${check}: not finished`)
  expect(text).toContain("statement_timeout")
  expect(text).not.toMatch(/host|port\b/)
  expect(text).toContain(`${cut.length} of ${CHECKS.length} checks did not finish`)
  expect(text).toContain("the others found nothing")
})

test("a table that is gone is told by name, and fails only the checks that read it", async () => {
  await engine.db.script("alter table millrace.chains rename to chains_elsewhere")
  const { exitCode, text } = await examined()
  await engine.db.script("alter table millrace.chains_elsewhere rename to chains")
  expect(exitCode).toBe(3)
  expect(text).toContain("missingObjects: ")
  expect(text).toContain("table chains")
  expect(text.match(/^\w+(?=: not finished)/gm)).toEqual(readersOf("chains"))
})

test("C-09: views that are gone are found, until the next start makes them", async () => {
  await engine.db.script("drop schema millrace_views cascade")
  const { exitCode, text } = await examined()
  expect(exitCode).toBe(1)
  for (const view of ["workflow", "jobs", "queue_item"]) expect(text).toContain(`view ${view}`)
  expect(text).toContain("millrace migrate")
})

test("a database without the schema is one line, and a server that is away is told as ever", async () => {
  const { dsn, drop } = await createTestDatabase({ empty: true })
  await expect(examined(dsn)).rejects.toThrow(/no Millrace in the schema millrace/)
  await drop()
  await expect(examined(dsn)).rejects.toMatchObject({ code: "3D000" })
})
