// The modes of our transactions, where the defaults are others: of the database, and so of every role and connection.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type JobCall, job, type Mill, millrace, type TxStep, workflow } from "../index.ts"
import { callers } from "../test-support/callers.ts"
import { createStatementWatch } from "../test-support/statement-watch.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { Database } from "./database.ts"
import { statement } from "./statements.ts"

const MODES = ["transaction_isolation", "transaction_read_only", "transaction_deferrable"]
const OURS = { transaction_isolation: "read committed", transaction_read_only: "off", transaction_deferrable: "off" }
const SELECT = `select ${MODES.map((mode) => `current_setting('${mode}') as ${mode}`).join(", ")}`

type Defaults = Readonly<Record<string, string>>

async function createStrictDatabase(defaults: Defaults) {
  const created = await createTestDatabase({ empty: true })
  const admin = new Database({ dsn: created.dsn, schema: "millrace", maxConnections: 1 })
  const name = new URL(created.dsn).pathname.slice(1)
  for (const [mode, value] of Object.entries(defaults))
    await admin.script(`alter database ${name} set default_${mode} = '${value}'`)
  await admin.close()
  return created
}

const STRICT: Defaults = {
  transaction_isolation: "serializable",
  transaction_read_only: "on",
  transaction_deferrable: "on",
}

describe("a database whose defaults are serializable, read only and deferrable", () => {
  let created: Awaited<ReturnType<typeof createTestDatabase>>
  let db: Database
  let mill: Mill

  beforeAll(async () => {
    created = await createStrictDatabase(STRICT)
    // Migrates an empty database.
    mill = await millrace({ database: created.dsn, logLevel: "silent" })
    db = new Database({ dsn: created.dsn, schema: "millrace", maxConnections: 1 })
  })
  afterAll(async () => {
    await mill.stop()
    await db.close()
    await created.drop()
  })

  const modes = statement("modes", SELECT)

  test("a statement alone, and one that takes long", async () => {
    expect([await db.query(modes), await db.ponder(modes)]).toEqual([[OURS], [OURS]])
  })

  test("a transaction that only writes, one that reads first, and the next on the same connection", async () => {
    const seen: unknown[] = []
    await db.transaction(async (tx) => tx.write(modes, {}, (rows) => seen.push(...rows)))
    await db.transaction(async (tx) => {
      seen.push(...(await tx.read(modes)))
      tx.write(modes, {}, (rows) => seen.push(...rows))
    })
    expect(seen).toEqual([OURS, OURS, OURS])
  })

  test("the transaction of a step", async () => {
    const seen: unknown[] = []
    const look = async ({ tx }: TxStep) => void seen.push(...(await tx.query(SELECT)).rows)
    const flow = workflow("looks", { steps: [look], claim: "transaction" })
    const worker = await mill.work([flow])
    const { id } = await mill.start(flow, {})
    expect((await mill.runs.handle(id).ended()).status).toBe("COMPLETED")
    expect(seen).toEqual([OURS])
    await worker.stop()
  })

  test("racing enqueues, of which two thirds were refused, are all taken, and all done", async () => {
    const done = new Set<number>()
    const race = job("race", ({ payload }: JobCall<{ n: number }>) => void done.add(payload.n))
    const worker = await mill.work([race], { concurrency: 8 })
    const racing = Array.from({ length: 300 }, (_, n) => mill.enqueue(race, { n: n % 200 }, { key: `k${n % 200}` }))
    const results = await Promise.allSettled(racing)
    expect(results.filter(({ status }) => status === "rejected")).toEqual([])
    await expect.poll(() => done.size).toBe(200)
    await worker.stop()
  })

  test("a caller's own transaction keeps the modes it was begun with", async () => {
    const caller = (callers.pg as NonNullable<typeof callers.pg>)(created.dsn)
    const seen = await caller.transaction(async (tx, run) => {
      await run("set transaction isolation level repeatable read, read write")
      await mill.enqueue("kept", {}, { tx })
      return run(SELECT)
    })
    expect(JSON.stringify(seen)).toContain("repeatable read")
    await caller.close()
  })
})

test("the modes cost no round trip", async () => {
  const { dsn, drop } = await createTestDatabase({ empty: true })
  const watch = await createStatementWatch(dsn)
  const db = new Database({ dsn: watch.dsn, schema: "millrace", maxConnections: 1 })
  const one = statement("one", "select 1 as one")
  await db.query(one)
  watch.forget()
  await db.query(one)
  expect(watch.roundTrips).toBe(1)
  await db.transaction(async (tx) => tx.write(one, {}))
  expect(watch.roundTrips).toBe(2)
  await db.transaction(async (tx) => {
    await tx.read(one)
    tx.write(one, {})
  })
  expect(watch.roundTrips).toBe(4)
  await db.close()
  await watch.close()
  await drop()
})
