// The observer finds what is wrong with the order: without that, its silence would prove nothing.
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { openDatabase, type TestDatabase } from "../test-support/open-shop.ts"
import { type Observer, startObserver } from "./observer.ts"

let database: TestDatabase
let observer: Observer
beforeAll(async () => {
  database = await openDatabase()
  observer = await startObserver(database.url, undefined)
})
afterAll(async () => {
  await observer.close()
  await database.close()
})
beforeEach(async () => {
  await database.db.query("truncate observed_events")
})
afterEach(async () => {
  await database.db.query("update millrace.sinks set after_seq = (select last_value from millrace.event_seq)")
})

const payment = randomUUID()
/** Published in this order, each when the one before is seen: no two in the same millisecond, which would have no order. */
async function publish(...events: readonly (readonly [string, number])[]): Promise<void> {
  for (const [at, [type, version]] of events.entries()) {
    await database.mill.publish(`payment.${type}`, { version }, { key: payment })
    await expect.poll(() => seen()).toBe(at + 1)
  }
}
const seen = async () =>
  Number((await database.db.query("select count(*)::integer as n from observed_events")).rows[0].n)

test("events in their order have no faults, and it is told how many were compared", async () => {
  await publish(["initiated", 1], ["failed", 3], ["initiated", 4], ["completed", 6])
  expect(await observer.faults()).toEqual([])
  expect(await observer.compared()).toEqual({ ofType: 1, ofPayment: 3 })
})

test("an event that is delivered after a later one of its type is found", async () => {
  await publish(["initiated", 4], ["initiated", 1])
  expect(await observer.faults()).toContain(`payment.initiated of payment ${payment} came out of order`)
})

test("an event that was sent before an earlier one of another type is found", async () => {
  await publish(["completed", 3], ["initiated", 1])
  expect(await observer.faults()).toEqual([
    `payment.completed of payment ${payment} was sent before an earlier event of it`,
  ])
})

test("an event that is processed twice is found", async () => {
  await publish(["initiated", 1])
  await database.db.query(`insert into observed_events (event_id, event_type, key, version, sent_at)
    select event_id, event_type, key, version, sent_at from observed_events`)
  expect(await observer.faults()).toEqual([expect.stringMatching(/^event .* was processed more than once$/)])
})
