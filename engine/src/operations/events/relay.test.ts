// The relay on real PostgreSQL: nothing is lost, nothing overtakes within a key, and an old leader moves nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { insertSink } from "../../store/events/sinks.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../../test-support/database-clock.ts"
import { noTerm } from "../../test-support/loops.ts"
import { numberOf, RecordingSink } from "../../test-support/recording-sink.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { TERM_MS, takePulse, termProof } from "../upkeep/take-pulse.ts"
import { measureSinks } from "./measure-sinks.ts"
import { publishEvent } from "./publish-event.ts"
import { Relay, type RelayOptions } from "./relay.ts"

let database: { dsn: string; drop(): Promise<void> }
let kernel: Kernel
let sink: RecordingSink
let relay: Relay
let sinks = 0

beforeAll(async () => {
  database = await createTestDatabase()
  kernel = await createBareKernel(database.dsn)
  await stopClock(kernel)
})
afterAll(async () => {
  await kernel.db.close()
  await database.drop()
})
beforeEach(async () => {
  relay = await open()
})

/** The only sink, which begins where the events end now. */
async function open(options: RelayOptions = {}): Promise<Relay> {
  await kernel.db.script("delete from millrace.parked_events; delete from millrace.sinks; delete from millrace.leaders")
  sinks += 1
  sink = new RecordingSink(`s${sinks}`)
  await insertSink(kernel.db, sink.name, "in-process")
  await kernel.db.script("update millrace.sinks set after_seq = (select last_value from millrace.event_seq)")
  return new Relay(kernel, sink, options)
}

const publish = async (n: number, key?: string, type = "t"): Promise<string> =>
  (await publishEvent(kernel, { type, payload: { n }, key })).outcome.id

/** What can be sent now is sent. A place may stay unsettled: any transaction of this server keeps it so while it is open. */
async function look(of = relay): Promise<void> {
  while (await of.round(noTerm));
}

/** Until everything that was published has been sent, parked or passed by. */
async function drain(of = relay): Promise<void> {
  do await look(of)
  while ((await countRows(kernel.db, "sinks", "after_seq < (select last_value from millrace.event_seq)")) > 0)
}

/** Rounds in which nothing was settled do no harm, and are run again. */
async function untilRejected(round: () => Promise<unknown>): Promise<never> {
  for (;;) await round()
}

const positions = async () =>
  (
    await kernel.db.script(
      "select s.after_seq, (select last_value from millrace.event_seq) as last from millrace.sinks s",
    )
  )[0]

describe("at least once", () => {
  /** What the sink is handed at once, however much of it is taken. */
  function watchSizes(): number[] {
    const sizes: number[] = []
    const send = sink.send.bind(sink)
    sink.send = (batch) => {
      sizes.push(batch.length)
      return send(batch)
    }
    return sizes
  }

  test("S18: what was read while an event was refused does not overtake it, and no batch is larger than it may be", async () => {
    relay = await open({ batchMax: 2 })
    const sizes = watchSizes()
    sink.judge = ({ payload }) =>
      numberOf(payload) === 3 ? { kind: "refused", reason: "too large" } : { kind: "sent" }
    for (let n = 1; n <= 12; n++) await publish(n, n % 2 ? "odd" : "even")
    await drain()
    expect(sink.payloads).toEqual([1, 2, 4, 6, 8, 10, 12])
    expect(Math.max(...sizes)).toBe(2)
    expect(await countRows(kernel.db, "parked_events")).toBe(5)
  })

  test("numbers that no JavaScript number can hold leave as they were published in SQL", async () => {
    const text = '{"n": 12345678901234567890, "amount": 0.12345678901234567890123, "deep": [{"id": 9007199254740993}]}'
    await kernel.db.script(`select millrace.publish('t', '${text}')`)
    await drain()
    expect(sink.sent.map(({ payload }) => payload)).toEqual([
      '{"n": 12345678901234567890, "deep": [{"id": 9007199254740993}], "amount": 0.12345678901234567890123}',
    ])
  })

  test("F53: what was read while the sink stopped is not sent", async () => {
    relay = await open({ batchMax: 2 })
    for (let n = 1; n <= 12; n++) await publish(n)
    let isAway = true
    sink.judge = ({ payload }) =>
      isAway && numberOf(payload) === 6 ? { kind: "retry", reason: "away" } : { kind: "sent" }
    while ((await countRows(kernel.db, "sinks", "failures > 0")) === 0) await relay.round(noTerm)
    expect(sink.payloads).toEqual([1, 2, 3, 4, 5])
    isAway = false
    await advanceClock(kernel, 60_000)
    await drain()
    expect(sink.payloads).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  })

  test("F-09: a relay that is closed while it sends begins no further batch", async () => {
    relay = await open({ batchMax: 2 })
    for (let n = 1; n <= 6; n++) await publish(n)
    sink.judge = async ({ payload }) => {
      if (numberOf(payload) === 2) await relay.close()
      return { kind: "sent" }
    }
    while (sink.sent.length === 0) await relay.round(noTerm)
    expect(sink.payloads).toEqual([1, 2])
    expect(await countRows(kernel.db, "sinks", "failures > 0")).toBe(0)
  })

  test("F-08: a sink that takes many is handed several batches at once, in order", async () => {
    relay = await open({ batchMax: 2 })
    sink.takesMany = true
    const sizes = watchSizes()
    const all = Array.from({ length: 50 }, (_, n) => n)
    for (const n of all) await publish(n, `k${n % 3}`)
    await drain()
    expect(sink.payloads).toEqual(all)
    expect(Math.max(...sizes)).toBe(20)
  })

  test("F-08, F-X7: a batch at a time, in order, and then nothing", async () => {
    relay = await open({ batchMax: 3 })
    for (let n = 1; n <= 7; n++) await publish(n)
    const sizes = watchSizes()
    await drain()
    expect(sink.payloads).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(sizes).toEqual([3, 3, 1])
    expect(await relay.round(noTerm)).toBe(false)
    const { after_seq, last } = (await positions()) ?? {}
    expect(after_seq).toBe(last)
  })

  test("F-09, F08, F-X1: a crash after the sink has taken them sends them again, under the same ids", async () => {
    const ids = [await publish(1), await publish(2)]
    const lostTerm = () => Promise.reject(new Error("killed"))
    await expect(untilRejected(() => relay.round(lostTerm))).rejects.toThrow("killed")
    await drain(new Relay(kernel, sink))
    expect(sink.sent.map(({ id }) => id)).toEqual([...ids, ...ids])
  })

  test("F09, S18: a crash half-way through a batch, and first occurrences are in order", async () => {
    for (let n = 1; n <= 4; n++) await publish(n, "k")
    sink.judge = ({ payload }) => {
      if (numberOf(payload) === 3) throw new Error("killed")
      return { kind: "sent" }
    }
    while ((await countRows(kernel.db, "sinks", "failures > 0")) === 0) await look()
    expect(sink.payloads).toEqual([1, 2])
    expect(await kernel.db.script("select failures, last_error from millrace.sinks")).toEqual([
      { failures: 1, last_error: "killed" },
    ])
    sink.judge = () => ({ kind: "sent" })
    await look()
    expect(sink.payloads).toEqual([1, 2])
    await advanceClock(kernel, 2_000)
    await drain()
    expect([...new Set(sink.payloads)]).toEqual([1, 2, 3, 4])
  })

  test("F-04: an event that is rolled back was never published", async () => {
    const work = kernel.db.transaction(async (tx) => {
      await publishEvent(kernel, { type: "t", payload: { n: 1 } }, tx)
      throw new Error("no")
    })
    await expect(work).rejects.toThrow("no")
    await publish(2)
    await drain()
    expect(sink.payloads).toEqual([2])
  })

  test("a sink is sent the types that it is for, and passes the others by", async () => {
    relay = await open({ types: ["mine"], batchMax: 2 })
    for (let n = 1; n <= 6; n++) await publish(n, undefined, n % 2 ? "other" : "mine")
    await drain()
    expect(sink.payloads).toEqual([2, 4, 6])
    await publish(7, undefined, "other")
    await drain()
    const { after_seq, last } = (await positions()) ?? {}
    expect(after_seq).toBe(last)
  })
})

describe("S17, F57: commits in another order than places", () => {
  /** A transaction of another program that has published and is still open. */
  async function openTransaction(n: number, end: "commit" | "rollback"): Promise<() => Promise<void>> {
    const client = await kernel.db.dedicated()
    await client.query("begin")
    await client.query(`select millrace.publish('t', '{"n": ${n}}', 'k')`)
    return async () => {
      await client.query(end)
      client.release()
    }
  }

  test("S17, F57: what a slow transaction has published is not passed by", async () => {
    const commit = await openTransaction(1, "commit")
    await publish(2, "k")
    for (let n = 0; n < 5; n++) await look()
    expect(sink.payloads).toEqual([])
    await commit()
    await drain()
    expect(sink.payloads).toEqual([1, 2])
  })

  test("S17: nor is it when more than a batch waits behind it", async () => {
    relay = await open({ batchMax: 2 })
    const commit = await openTransaction(1, "commit")
    for (const n of [2, 3, 4, 5, 6]) await publish(n, "k")
    for (let n = 0; n < 5; n++) await look()
    expect(sink.payloads).toEqual([])
    await commit()
    await drain()
    expect(sink.payloads).toEqual([1, 2, 3, 4, 5, 6])
  })

  test("S18: what is settled is sent, and nothing behind it that a slow transaction may still come before", async () => {
    const other = await kernel.db.dedicated()
    await other.query("begin; select pg_current_xact_id()")
    await publish(1, "k")
    await look()
    const commit = await openTransaction(2, "commit")
    await publish(3, "k")
    await other.query("commit")
    other.release()
    await expect.poll(() => look().then(() => sink.payloads.length)).toBeGreaterThan(0)
    const sent = [...sink.payloads]
    await commit()
    expect(sent).toEqual([1])
    await drain()
    expect(sink.payloads).toEqual([1, 2, 3])
  })

  test("S17: one that is rolled back is not waited for", async () => {
    const rollBack = await openTransaction(1, "rollback")
    await publish(2, "k")
    await look()
    await rollBack()
    await drain()
    expect(sink.payloads).toEqual([2])
  })

  test("S17: a transaction that took its number early and publishes late keeps its place, and does not lose it", async () => {
    const client = await kernel.db.dedicated()
    await client.query("begin; select pg_current_xact_id()")
    await publish(1, "k")
    await client.query(`select millrace.publish('t', '{"n": 2}', 'k')`)
    await publish(3, "k")
    await look()
    await client.query("commit")
    client.release()
    await drain()
    expect(sink.payloads).toEqual([1, 2, 3])
  })

  test("S17: while others are always under way the relay goes on, to where they began", async () => {
    const first = await openTransaction(1, "commit")
    await look()
    const second = await openTransaction(2, "commit")
    await first()
    while (sink.sent.length === 0) await look()
    expect(sink.payloads).toEqual([1])
    await second()
    await drain()
    expect(sink.payloads).toEqual([1, 2])
  })
})

describe("F55, F20: two leaders", () => {
  test("F22, F20, F55: the mark of an old leader moves nothing, and order per key holds over both", async () => {
    const beat = (processId: string) => takePulse(kernel, processId, 0, [`sink:${sink.name}`])
    for (let n = 1; n <= 4; n++) await publish(n, "k")
    expect(Object.fromEntries((await beat("one")).terms)).toEqual({ [`sink:${sink.name}`]: 1 })
    let taken = () => {}
    const isTaken = new Promise<void>((resolve) => {
      taken = resolve
    })
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    sink.judge = async ({ payload }) => {
      if (numberOf(payload) === 3) {
        taken()
        await held
      }
      return { kind: "sent" }
    }
    const old = untilRejected(() => relay.round(termProof(`sink:${sink.name}`, 1)))
    await isTaken
    await advanceClock(kernel, TERM_MS + 1)
    expect(Object.fromEntries((await beat("two")).terms)).toEqual({ [`sink:${sink.name}`]: 2 })
    sink.judge = () => ({ kind: "sent" })
    await drain(new Relay(kernel, sink))
    const before = await positions()
    release()
    await expect(old).rejects.toMatchObject({ code: "MR002" })
    expect(await positions()).toEqual(before)
    expect(sink.payloads).toEqual([1, 2, 1, 2, 3, 4, 3, 4])
    expect([...new Set(sink.payloads)]).toEqual([1, 2, 3, 4])
  })
})

describe("F-09, F20: a mark that is under way while the next batch is sent", () => {
  test("F-09, F20, S18: when it fails no further batch is begun, nothing is lost, and first occurrences are in order", async () => {
    relay = await open({ batchMax: 2 })
    for (let n = 1; n <= 6; n++) await publish(n, "k")
    let sendSecond = () => {}
    const isSecondSent = new Promise<void>((resolve) => {
      sendSecond = resolve
    })
    sink.judge = ({ payload }) => {
      if (numberOf(payload) === 4) sendSecond()
      return { kind: "sent" }
    }
    /** The first mark lasts until the second batch was sent. */
    const lostTerm = async () => {
      await isSecondSent
      throw new Error("lost")
    }
    const before = await positions()
    await expect(untilRejected(() => relay.round(lostTerm))).rejects.toThrow("lost")
    expect(sink.payloads).toEqual([1, 2, 3, 4])
    expect(await positions()).toEqual(before)
    await drain(new Relay(kernel, sink))
    expect(sink.payloads).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 5, 6])
  })
})

describe("F54: what a sink does not take", () => {
  const refuse = (n: number, kind: "refused" | "failed" = "refused") => {
    sink.judge = ({ payload }) => (numberOf(payload) === n ? { kind, reason: "too large" } : { kind: "sent" })
  }
  const parked = () =>
    kernel.db.script("select reason, attempts, next_at is null as waits from millrace.parked_events order by seq")

  test("S17: a sink that is moved while it is sent to stays where it was put", async () => {
    await publish(1)
    const send = sink.send.bind(sink)
    sink.send = async (batch) => {
      await kernel.db.script("update millrace.sinks set after_seq = 0")
      return send(batch)
    }
    await expect.poll(() => look().then(() => sink.payloads.length)).toBeGreaterThan(0)
    expect((await positions())?.after_seq).toBe(0)
  })

  test("F54, S18: it is parked, later ones of its key behind it, and the rest flow", async () => {
    refuse(1)
    await publish(1, "a")
    await publish(2, "b")
    await publish(3, "a")
    await drain()
    await publish(4, "a")
    await publish(5)
    await drain()
    expect(sink.payloads).toEqual([2, 5])
    expect(await parked()).toEqual([
      { reason: "too large", attempts: 1, waits: true },
      { reason: "an earlier event of its key is parked", attempts: 0, waits: true },
      { reason: "an earlier event of its key is parked", attempts: 0, waits: true },
    ])
  })

  test("F-08: one that fails is tried again by itself, and then those behind it follow in order", async () => {
    refuse(1, "failed")
    await publish(1, "a")
    await publish(2, "a")
    await publish(3, "b")
    await drain()
    expect(sink.payloads).toEqual([3])
    refuse(0)
    await publish(4, "a")
    await drain()
    await advanceClock(kernel, 1_001)
    await look()
    expect(sink.payloads).toEqual([3, 1, 2, 4])
    expect(sink.sent.map(({ attempt }) => attempt)).toEqual([1, 2, 1, 1])
    expect(await countRows(kernel.db, "parked_events")).toBe(0)
  })

  test("one that fails again and again waits for an operator after its tries", async () => {
    relay = await open({ tries: 2 })
    refuse(1, "failed")
    await publish(1)
    await drain()
    await advanceClock(kernel, 1_001)
    await look()
    expect(await parked()).toEqual([{ reason: "too large", attempts: 2, waits: true }])
  })
})

describe("what is measured", () => {
  test("F-11, F-24: how many events a sink has not had, how old the oldest is, and how many are parked", async () => {
    const measured = async () => {
      await measureSinks(kernel)
      const { outboxDepth, outboxLag, outboxParked } = kernel.metrics
      const gauges = await Promise.all([outboxDepth, outboxLag, outboxParked].map((gauge) => gauge.get()))
      return gauges.map(({ values }) => values[0]?.value)
    }
    sink.judge = () => ({ kind: "refused", reason: "no" })
    await publish(1)
    await publish(2)
    await advanceClock(kernel, 60_000)
    const [depth, lag, parked] = await measured()
    expect([depth, parked]).toEqual([2, 0])
    expect(lag).toBeGreaterThanOrEqual(60)
    await drain()
    expect(await measured()).toEqual([0, 0, 2])
  })
})

describe("F58: the high watermark", () => {
  test("F58, L3: publishing is refused before the disk is full, and taken again once the sinks have caught up", async () => {
    await kernel.db.script("update millrace.outbox set high_watermark = 2")
    try {
      await publish(1)
      await publish(2)
      await expect(publish(3)).rejects.toMatchObject({ code: "backpressure" })
      await expect(kernel.db.script(`select millrace.publish('t', '{"n": 3}')`)).rejects.toMatchObject({
        code: "MR003",
      })
      await drain()
      await publish(4)
    } finally {
      await kernel.db.script("update millrace.outbox set high_watermark = 10000000")
    }
    await drain()
    expect(sink.payloads).toEqual([1, 2, 4])
  })
})
