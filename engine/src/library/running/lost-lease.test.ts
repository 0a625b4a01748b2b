// A worker that has lost its run does and says nothing more, whatever the workflow would make of an error.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { Database } from "../../db/database.ts"
import { bestEffort, type Mill, millrace, type TxStep, workflow } from "../../index.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"

let mill: Mill
let tables: Database
let drop: () => Promise<void>
let calls: string[]

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  mill = await millrace({ database: created.dsn, logLevel: "silent" })
  tables = new Database({ dsn: created.dsn, schema: "millrace", maxConnections: 1 })
  await tables.script("create table public.written (key text)")
})
beforeEach(() => {
  calls = []
})
afterAll(async () => {
  await tables.close()
  await mill.stop()
  await drop()
})

/** Another worker has it, as the fence sees it. */
const takeLeaseAway = () => tables.script("update millrace.jobs set nonce = gen_random_uuid() where status = 'leased'")

test("A-24: the function form is not told that its lease is lost: it compensates nothing", async () => {
  const flow = workflow("compensating", async (run) => {
    try {
      await run.step("charge", async () => {
        calls.push("charge")
        await takeLeaseAway()
      })
    } catch {
      await run.step("refund", () => void calls.push("refund"))
    }
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(calls).toEqual(["charge"])
  expect(await mill.runs.get(id)).toMatchObject({ status: "ACTIVE" })
})

test("W-03: a worker of this process sends heartbeats: its lease is no longer than the first, however many were lost", async () => {
  const flow = workflow("beating", async (run) => {
    await run.step("look", async () => {
      const [row] = await tables.script(
        "select lease_ms from millrace.jobs where status = 'leased' and lost_leases = 2",
      )
      calls.push(`${row?.lease_ms} ms`)
    })
  })
  const { id } = await mill.start(flow, {})
  await tables.script(`update millrace.jobs set lost_leases = 2 where instance_id = '${id}'`)
  await mill.drain([flow])
  expect(calls).toEqual(["30000 ms"])
})

test("A-25: a lost lease is no failure of a best-effort step: the list does not go on", async () => {
  const flow = workflow("leaving", {
    recover: "resume",
    steps: [
      bestEffort(async function attachCard() {
        calls.push("attachCard")
        await takeLeaseAway()
      }),
      function after() {
        calls.push("after")
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(calls).toEqual(["attachCard"])
  expect(await mill.runs.get(id)).toMatchObject({ status: "ACTIVE" })
  expect((await mill.runs.failures({ workflow: flow, step: "attachCard" })).items).toEqual([])
})

test("A-24: what a step wrote in a run that it has lost is gone, and its connection is given back once", async () => {
  const flow = workflow("writing", {
    recover: "resume",
    steps: [
      async function write({ tx, key }: TxStep) {
        await tx.query("insert into public.written values ($1)", [key])
        await takeLeaseAway()
      },
    ],
  })
  await mill.start(flow, {})
  await mill.drain([flow])
  expect(await tables.script("select key from public.written")).toEqual([])
})

test("a step's transaction ends with the step", async () => {
  let late: TxStep["tx"] | undefined
  const flow = workflow("late", {
    recover: "resume",
    steps: [
      async function keep({ tx }: TxStep) {
        await tx.query("select 1")
        late = tx
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  await expect(late?.query("select 1")).rejects.toThrow("the step is over")
})
