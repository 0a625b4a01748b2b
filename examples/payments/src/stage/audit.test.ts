// The audit finds what is wrong: without that, its silence would prove nothing.
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { rowsOf } from "../payments/database.ts"
import { Ledger } from "../provider/ledger.ts"
import { openDatabase, type TestDatabase } from "../test-support/open-shop.ts"
import { audit } from "./audit.ts"

let database: TestDatabase
let ledger: Ledger
beforeAll(async () => {
  database = await openDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  ledger = new Ledger(1)
  await database.db.query("delete from payments")
})

/** A payment with a story of events, charged unless it is said otherwise. */
async function payment(status: string, types: readonly string[], charges = 1): Promise<string> {
  const id = randomUUID()
  await rowsOf(
    database.db,
    "insert into payments (id, idempotency_key, request_hash, amount, currency, status) values ($1, $2, '', 1, 'EUR', $3)",
    [id, `key-${id}`, status],
  )
  for (const [at, type] of types.entries()) await database.mill.publish(`payment.${type}`, { version: at }, { key: id })
  for (let at = 0; at < charges; at += 1) ledger.charge(`${id}-${at}`, id)
  return id
}

async function faults(accepted: ReadonlyMap<string, string> = new Map()): Promise<readonly string[]> {
  const provider = { totals: ledger.totals, entries: ledger.entries }
  return (await audit({ db: database.db, accepted, provider })).faults
}

test("right books have no faults", async () => {
  const id = await payment("SETTLED", ["initiated", "failed", "initiated", "completed"])
  await payment("FAILED", ["initiated", "dlq"], 0)
  await payment("REFUNDED", ["initiated", "completed", "refunded"])
  expect(await faults(new Map([[`key-${id}`, id]]))).toEqual([])
})

test.each<[string, string, readonly string[], number]>([
  ["was charged more than once", "SETTLED", ["initiated", "completed"], 2],
  ["is SETTLED and was never charged", "SETTLED", ["initiated", "completed"], 0],
  ["is FAILED and was charged", "FAILED", ["initiated", "failed"], 1],
  ["is SETTLED, and its events are: initiated", "SETTLED", ["initiated"], 1],
  ["and its events are: completed initiated", "SETTLED", ["completed", "initiated"], 1],
  ["and its events are: initiated completed completed", "SETTLED", ["initiated", "completed", "completed"], 1],
  ["is still PROCESSING", "PROCESSING", ["initiated"], 1],
])("a payment that %s is found", async (fault, status, types, charges) => {
  const id = await payment(status, types, charges)
  expect((await faults()).join("\n")).toContain(
    `payment ${id} ${fault.startsWith("and") ? `is ${status}, ${fault}` : fault}`,
  )
})

test("events of a payment that were not published in the order of its versions are found", async () => {
  const id = await payment("SETTLED", [])
  for (const [type, version] of [
    ["initiated", 4],
    ["failed", 2],
    ["initiated", 1],
    ["completed", 6],
  ] as const)
    await database.mill.publish(`payment.${type}`, { version }, { key: id })
  expect(await faults()).toEqual([`payment ${id} has its events out of order: versions 4,2,1,6`])
})

test("an accepted payment that is not there is found, and so is another one in its place", async () => {
  const id = await payment("SETTLED", ["initiated", "completed"])
  expect(await faults(new Map([["lost", "p"]]))).toEqual([
    "payment p was accepted under lost, and the database has undefined",
  ])
  expect(await faults(new Map([[`key-${id}`, "other"]]))).toHaveLength(1)
})
