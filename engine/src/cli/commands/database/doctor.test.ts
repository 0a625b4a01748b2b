// The doctor's command on a real database: healthy, with a wound, and with a check that is not answered.
import { afterAll, beforeAll, expect, test } from "vitest"
import { Database } from "../../../db/database.ts"
import { type Statement, statement } from "../../../db/statements.ts"
import { ALL_KINDS, CHECKS, PLAIN_KINDS } from "../../../operations/upkeep/doctor.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops } from "../../../test-support/loops.ts"
import { checkStatement } from "../../../test-support/store-statements.ts"
import { createTestDatabase, createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { type DoctorOptions, runDoctor } from "./doctor.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

/** As the command opens it: with one connection. */
async function examined(
  dsn = engine.dsn,
  options: DoctorOptions = {},
): Promise<{ readonly exitCode: number; readonly text: string }> {
  const db = new Database({ dsn, schema: "millrace", maxConnections: 1, applicationName: "the doctor" })
  const lines: string[] = []
  try {
    return { exitCode: await runDoctor(db, (line) => lines.push(line), options), text: lines.join("\n") }
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

test("--deep asks everything there is to ask, and --json says what each check found, for a script", async () => {
  const id = await drive(engine.kernel).start("sick")
  await engine.db.script(`update millrace.instances set definition_version = 9 where id = '${id}'`)
  const shallow = JSON.parse((await examined(engine.dsn, { json: true })).text)
  const { exitCode, text } = await examined(engine.dsn, { deep: true, json: true })
  await engine.db.script(
    "truncate millrace.instances, millrace.jobs, millrace.audit, millrace.depth_deltas, millrace.depths",
  )
  const deep = JSON.parse(text) as { checks: { name: string; kind: string; symptoms: unknown[]; advice: string }[] }
  expect(shallow.checks.map(({ kind }: { kind: string }) => kind)).not.toContain("deep")
  expect(deep.checks.map(({ name }) => name)).toEqual(CHECKS.map(({ name }) => name))
  expect(new Set(deep.checks.map(({ kind }) => kind))).toEqual(new Set(ALL_KINDS))
  expect(deep.checks.filter(({ symptoms }) => symptoms.length > 0)).toMatchObject([
    { name: "missingVersions", symptoms: [{ instanceId: id, detail: "sick, version 9" }], advice: expect.any(String) },
  ])
  expect(exitCode).toBe(1)
})

test("RG19: a deep check can change nothing, and is cut off by the server itself", async () => {
  const text = "select current_setting('transaction_read_only') || ' ' || current_setting('statement_timeout') as told"
  const { planned = "anew" } = checkStatement("trailStatus")
  const settings: Statement = { ...statement("settings", text), planned }
  expect(await engine.db.ponder(settings)).toEqual([{ told: "on 1min" }])
})

const PLAIN = CHECKS.filter(({ kind }) => PLAIN_KINDS.includes(kind))

const readersOf = (table: string): string[] =>
  PLAIN.map(({ name }) => name).filter((name) => checkStatement(name).text.includes(`millrace.${table} `))

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
  expect(text).toContain(`${cut.length} of ${PLAIN.length} checks did not finish`)
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
