// Weeks of events on real PostgreSQL: one goes when it is old and every sink has had all of it, and not a moment before.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { insertSink, type SinkKind } from "../../store/events/sinks.ts"
import { listEventWeeks, weekOf } from "../../store/upkeep/partitions.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../../test-support/database-clock.ts"
import { noTerm } from "../../test-support/loops.ts"
import { numberOf, RecordingSink } from "../../test-support/recording-sink.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { createWeeks, keepHouse } from "../upkeep/keep-house.ts"
import { publishEvent } from "./publish-event.ts"
import { Relay } from "./relay.ts"
import { retireEvents } from "./retire-events.ts"

const WEEK_MS = 7 * 24 * 3_600_000
/** Beyond the end of any week that has begun, and the retention after it. */
const LONG_MS = 8 * WEEK_MS

let database: { dsn: string; drop(): Promise<void> }
let kernel: Kernel
/** The one in which a test publishes. */
let week: string

beforeAll(async () => {
  database = await createTestDatabase()
  kernel = await createBareKernel(database.dsn, 6)
  await stopClock(kernel)
})
beforeEach(async () => {
  await kernel.db.script(`delete from millrace.parked_events; delete from millrace.sinks; delete from millrace.events;
    delete from millrace.sink_moves`)
  // The week of a test is the oldest that there is: a drop meets it first.
  await retireLater()
  await createWeeks(kernel)
  week = weekOf(kernel.clock.nowMs()).name
})
afterAll(async () => {
  await kernel.db.close()
  await database.drop()
})

const publish = (n: number, key = "k") => publishEvent(kernel, { type: "t", payload: { n }, key })
const isKept = async (name = week) => (await listEventWeeks(kernel.db)).some((kept) => kept.name === name)

interface Opened {
  readonly sink: RecordingSink
  readonly relay: Relay
}

async function open(name: string, kind: SinkKind = "in-process"): Promise<Opened> {
  await insertSink(kernel.db, name, kind)
  const sink = new RecordingSink(name)
  return { sink, relay: new Relay(kernel, sink, { batchMax: 2 }) }
}

/** Until the sink has had, parked or passed everything that was published. */
async function drain({ sink, relay }: Opened): Promise<void> {
  do while (await relay.round(noTerm));
  while (await countRows(kernel.db, "sinks", `name = '${sink.name}' and after_seq < ${LAST}`))
}
const LAST = "(select last_value from millrace.event_seq)"

async function retireLater(): Promise<void> {
  await advanceClock(kernel, LONG_MS)
  await retireEvents(kernel)
}

/** Another program, in the middle of a transaction. */
async function begin(text: string): Promise<(end: "commit" | "rollback") => Promise<void>> {
  const client = await kernel.db.dedicated()
  await client.query("begin")
  await client.query(text)
  return async (end) => {
    await client.query(end)
    client.release()
  }
}

/** Meets a lock, which is given back once it is waited for, or was given up before that. */
async function retireAgainst(release: () => Promise<void>): Promise<void> {
  let isOver = false
  const retired = retireEvents(kernel).finally(() => {
    isOver = true
  })
  const waits =
    "select from pg_locks l join pg_database d on d.oid = l.database where not l.granted and d.datname = current_database()"
  while (!isOver && (await kernel.db.script(waits)).length === 0);
  await release()
  await retired
}

describe("C-92: a week of events is dropped", () => {
  test("C-92: when every sink has had it and it is old, and the events that were published later stay", async () => {
    const only = await open("only")
    await publish(1)
    await drain(only)
    await keepHouse(kernel)
    expect(await isKept()).toBe(true)
    await advanceClock(kernel, LONG_MS)
    await createWeeks(kernel)
    await publish(2)
    await drain(only)
    await keepHouse(kernel)
    expect(await isKept()).toBe(false)
    expect(await kernel.db.script("select payload from millrace.events")).toEqual([{ payload: '{"n": 2}' }])
  })

  test.each(["in-process", "http", "kafka"] as const)(
    "C-92: and not while a sink of kind %s lacks one",
    async (kind) => {
      const quick = await open("quick")
      const slow = await open("slow", kind)
      for (const n of [1, 2, 3]) await publish(n)
      await drain(quick)
      slow.sink.judge = ({ payload }) =>
        numberOf(payload) === 3 ? { kind: "retry", reason: "away" } : { kind: "sent" }
      while (slow.sink.sent.length === 0) await slow.relay.round(noTerm)
      expect(slow.sink.payloads).toEqual([1, 2])
      await retireLater()
      expect(await isKept()).toBe(true)
      slow.sink.judge = () => ({ kind: "sent" })
      await drain(slow)
      await retireEvents(kernel)
      expect(await isKept()).toBe(false)
      expect(slow.sink.payloads).toEqual([1, 2, 3])
    },
  )

  test("C-92: a sink that was stopped for longer than the retention is sent all of it in order", async () => {
    const away = await open("away")
    const weeks: string[] = []
    for (const n of [1, 2, 3, 4, 5]) {
      await createWeeks(kernel)
      weeks.push(weekOf(kernel.clock.nowMs()).name)
      await publish(n)
      await retireLater()
    }
    for (const name of weeks) expect(await isKept(name)).toBe(true)
    await drain(away)
    expect(away.sink.payloads).toEqual([1, 2, 3, 4, 5])
    await retireEvents(kernel)
    for (const name of weeks) expect(await isKept(name)).toBe(false)
  })

  test("C-92: and not while one of it is parked, however old", async () => {
    const picky = await open("picky")
    picky.sink.judge = ({ payload }) => (numberOf(payload) === 1 ? { kind: "refused", reason: "no" } : { kind: "sent" })
    await publish(1, "a")
    await publish(2, "b")
    await drain(picky)
    await retireLater()
    await retireLater()
    expect(await isKept()).toBe(true)
    picky.sink.judge = () => ({ kind: "sent" })
    await kernel.db.script("update millrace.parked_events set next_at = millrace.clock()")
    await drain(picky)
    expect(picky.sink.payloads).toEqual([2, 1])
    await retireEvents(kernel)
    expect(await isKept()).toBe(false)
  })

  test("C-92: with no sink at all when it is old", async () => {
    await publish(1)
    await retireEvents(kernel)
    expect(await isKept()).toBe(true)
    await retireLater()
    expect(await isKept()).toBe(false)
  })
})

describe("C-92: an event that is in no week", () => {
  /** The clock leaps to where no week has been made. */
  async function publishOutside(n: number): Promise<void> {
    await advanceClock(kernel, LONG_MS)
    await publish(n)
    expect(await countRows(kernel.db, "events_default")).toBe(1)
  }

  test("C-92: is sent, kept while a sink lacks it, and then goes when it is old", async () => {
    const only = await open("only")
    await publishOutside(1)
    await retireLater()
    expect(await countRows(kernel.db, "events_default")).toBe(1)
    await drain(only)
    expect(only.sink.payloads).toEqual([1])
    await retireEvents(kernel)
    expect(await countRows(kernel.db, "events_default")).toBe(0)
  })

  test("C-92: is kept until it is old, and while it is parked", async () => {
    const picky = await open("picky")
    await publishOutside(1)
    await drain(picky)
    await retireEvents(kernel)
    expect(await countRows(kernel.db, "events_default")).toBe(1)
    await kernel.db.script(`insert into millrace.parked_events (sink, seq, event_id, reason, attempts, parked_at)
      select 'picky', seq, id, 'no', 1, created_at from millrace.events`)
    await retireLater()
    expect(await countRows(kernel.db, "events_default")).toBe(1)
  })

  test("it does not keep the moves of the sinks for ever", async () => {
    const only = await open("only")
    await publishOutside(1)
    await drain(only)
    await advanceClock(kernel, LONG_MS)
    await publish(2)
    await drain(only)
    await retireEvents(kernel)
    expect(
      await kernel.db.script("select to_seq = (select seq from millrace.events) as last from millrace.sink_moves"),
    ).toEqual([{ last: true }])
  })
})

describe("C-92, S17: what is under way while a week is looked at", () => {
  const WRITE = `select millrace.publish('t', '{"n": 1}', 'k')`

  test("S17: an event whose transaction is still open is not lost, and is no failure of housekeeping", async () => {
    const only = await open("only")
    const end = await begin(WRITE)
    await retireLater()
    expect(await isKept()).toBe(true)
    await end("commit")
    await drain(only)
    expect(only.sink.payloads).toEqual([1])
    await retireEvents(kernel)
    expect(await isKept()).toBe(false)
  })

  test("S17: nor is one whose transaction commits while the drop waits for it", async () => {
    const only = await open("only")
    const end = await begin(WRITE)
    await advanceClock(kernel, LONG_MS)
    await retireAgainst(() => end("commit"))
    expect(await isKept()).toBe(true)
    await drain(only)
    expect(only.sink.payloads).toEqual([1])
  })

  test("C-92: a sink that is registered meanwhile is sent what there was", async () => {
    await publish(1)
    const end = await begin(
      "insert into millrace.sinks (name, kind, after_seq, created_at) values ('new', 'kafka', 0, millrace.clock())",
    )
    await advanceClock(kernel, LONG_MS)
    await retireAgainst(() => end("commit"))
    expect(await isKept()).toBe(true)
    const fresh = await open("new", "kafka")
    await drain(fresh)
    expect(fresh.sink.payloads).toEqual([1])
  })

  test("C-92: so is it with an event that is in no week", async () => {
    await advanceClock(kernel, LONG_MS)
    await publish(1)
    const end = await begin(
      "insert into millrace.sinks (name, kind, after_seq, created_at) values ('new', 'kafka', 0, millrace.clock())",
    )
    await advanceClock(kernel, LONG_MS)
    await retireAgainst(() => end("commit"))
    expect(await countRows(kernel.db, "events_default")).toBe(1)
  })

  test("C-92: a batch that was sent and is not marked yet keeps its week, and so does a mark that parks one", async () => {
    const only = await open("only")
    await publish(1)
    const mark = await begin(`update millrace.sinks set after_seq = ${LAST};
      insert into millrace.parked_events (sink, seq, event_id, reason, attempts, parked_at)
      select 'only', seq, id, 'no', 1, created_at from millrace.events`)
    await advanceClock(kernel, LONG_MS)
    await retireAgainst(async () => {})
    expect(await isKept()).toBe(true)
    await mark("commit")
    await retireEvents(kernel)
    expect(await isKept()).toBe(true)
    await kernel.db.script("update millrace.parked_events set next_at = millrace.clock()")
    await drain(only)
    expect(only.sink.payloads).toEqual([1])
  })

  test("C-125: processes that find it at once drop it once", async () => {
    await publish(1)
    await advanceClock(kernel, LONG_MS)
    await Promise.all([retireEvents(kernel), retireEvents(kernel), retireEvents(kernel)])
    expect(await isKept()).toBe(false)
  })
})

describe("F58: the high watermark", () => {
  test("F58: a new sink, which begins with the oldest event that is kept, shuts no door for those that are gone", async () => {
    const old = await open("old")
    for (const n of [1, 2, 3]) await publish(n)
    await drain(old)
    await retireLater()
    expect(await isKept()).toBe(false)
    await kernel.db.script("update millrace.outbox set high_watermark = 2")
    try {
      const fresh = await open("fresh")
      await publish(4)
      await publish(5)
      await expect(publish(6)).rejects.toMatchObject({ code: "backpressure" })
      await drain(old)
      await expect(publish(6)).rejects.toMatchObject({ code: "backpressure" })
      await drain(fresh)
      expect(fresh.sink.payloads).toEqual([4, 5])
      await publish(6)
    } finally {
      await kernel.db.script("update millrace.outbox set high_watermark = 10000000")
    }
  })
})
