// `mill.publish` and `mill.on` on real PostgreSQL: from the caller's transaction to the function that is called.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { step, workflow } from "../../index.ts"
import { type Caller, callers } from "../../test-support/callers.ts"
import { gate, type Mills, openMills } from "../../test-support/mills.ts"
import type { MillEvent } from "./handler-sink.ts"

let mills: Mills

beforeAll(async () => {
  mills = await openMills()
  await mills.tables.script("create table payments (id text primary key)")
})
afterAll(() => mills.close())

/** Keeps what it is called with; resolves once there is as much as a test waits for. */
function recorder() {
  const events: MillEvent[] = []
  const numbers = () => events.map(({ payload }) => payload.n)
  return { events, numbers, handler: (event: MillEvent) => void events.push(event) }
}

describe("in the caller's transaction", () => {
  test.each(Object.entries(callers))(
    "F-04: with %s the row and its event are committed together, or neither",
    async (library, open) => {
      const type = `paid.${library}`.replaceAll(/[^\w.]/g, "-")
      const seen = recorder()
      const subscription = await mills.mill.on(type, seen.handler)
      const caller = open(mills.dsn)
      const pay = (id: string, fails: boolean) =>
        caller.transaction(async (tx, run) => {
          await run(`insert into payments (id) values ('${id}')`)
          const published = await mills.mill.publish(type, { n: id }, { key: id, tx, headers: { source: "test" } })
          if (fails) throw new Error("no money")
          return published
        })
      await expect(pay(`${library}-1`, true)).rejects.toThrow("no money")
      const { id } = await pay(`${library}-2`, false)
      await expect.poll(seen.numbers).toEqual([`${library}-2`])
      expect(seen.events).toMatchObject([{ id, type, key: `${library}-2`, headers: { source: "test" }, attempt: 1 }])
      expect(await mills.tables.script(`select id from payments where starts_with(id, '${library}-')`)).toEqual([
        { id: `${library}-2` },
      ])
      await caller.close()
      await subscription.stop()
    },
  )
})

describe("a subscription", () => {
  test("F-04: what was published before there was one is not lost", async () => {
    for (const n of [1, 2, 3]) await mills.mill.publish("early", { n }, { key: "k" })
    const seen = recorder()
    await mills.mill.on("early", seen.handler)
    await expect.poll(seen.numbers).toEqual([1, 2, 3])
  })

  test("S18, F54: a handler that fails is called again, later ones of its key wait, the others do not", async () => {
    const seen = recorder()
    let fails = true
    await mills.mill.on("failing", (event) => {
      if (fails && event.payload.n === 1) throw new Error("not now")
      seen.handler(event)
    })
    for (const [n, key] of [
      [1, "a"],
      [2, "a"],
      [3, "b"],
    ] as const)
      await mills.mill.publish("failing", { n }, { key })
    await expect.poll(seen.numbers).toEqual([3])
    fails = false
    await mills.advanceClock(1_001)
    await expect.poll(seen.numbers).toEqual([3, 1, 2])
    expect(seen.events[1]).toMatchObject({ attempt: 2 })
  })

  test("F20: two processes ask, one is called; when it stops the other goes on where it was", async () => {
    const { mill: other } = await mills.another()
    const first = recorder()
    const second = recorder()
    const subscription = await mills.mill.on("shared", first.handler)
    await mills.mill.publish("shared", { n: 1 })
    await expect.poll(first.numbers).toEqual([1])
    await other.on("shared", second.handler)
    await subscription.stop()
    await mills.mill.publish("shared", { n: 2 })
    await mills.advanceClock(6_000)
    await expect.poll(second.numbers).toEqual([2])
    expect(first.numbers()).toEqual([1])
  })

  test("stop waits for the handler that runs, and begins no other", async () => {
    const entered = gate()
    const leave = gate()
    const seen = recorder()
    const subscription = await mills.mill.on("slow", async (event) => {
      entered.open()
      await leave.passed
      seen.handler(event)
    })
    for (const n of [1, 2]) await mills.mill.publish("slow", { n }, { key: "k" })
    await entered.passed
    const stopped = subscription.stop()
    leave.open()
    await stopped
    expect(seen.numbers()).toEqual([1])
  })

  test("the life of instances can be subscribed to, by function and by consumer group", async () => {
    const { mill } = mills
    const flow = workflow("told", { events: true, steps: [step("only", () => {})] })
    await mill.drain([flow])
    const seen = recorder()
    const type = "workflow.events.told"
    const subscription = await mill.on(type, seen.handler)
    const consumed: unknown[] = []
    const consumer = await mill.consume(
      type,
      { group: "books" },
      async ({ event }) => void consumed.push(event.payload.kind),
    )
    const run = await mill.start(flow, {})
    await mill.drain([flow])
    const kinds = () => seen.events.map(({ payload }) => payload.kind)
    await expect.poll(kinds).toContain("INSTANCE_COMPLETED")
    await expect.poll(() => consumed).toEqual(kinds())
    expect(new Set(seen.events.map(({ key }) => key))).toEqual(new Set([run.id]))
    await consumer.stop()
    await subscription.stop()
  })

  test("two of one name in a process are refused, and so is what is no type, name or function", async () => {
    const { mill } = mills
    await mill.on("once", () => {}, { name: "mine" })
    await expect(mill.on("once", () => {}, { name: "mine" })).rejects.toMatchObject({ code: "conflict" })
    await expect(mill.on("workflow.jobs.x", () => {})).rejects.toMatchObject({ code: "bad-request" })
    await expect(mill.on("once", () => {}, { name: "a b" })).rejects.toMatchObject({ code: "bad-request" })
    await expect(mill.on("once", "x" as never)).rejects.toMatchObject({ code: "bad-request" })
    await expect(mill.on("once", () => {}, { tries: 0 })).rejects.toMatchObject({ code: "bad-request" })
  })
})

describe("the door", () => {
  test("what cannot be published is refused, and a caller's transaction goes on", async () => {
    const { mill } = mills
    const refused = { code: "bad-request" }
    await expect(mill.publish("workflow.events.x", {})).rejects.toMatchObject(refused)
    await expect(mill.publish("two words", {})).rejects.toMatchObject(refused)
    await expect(mill.publish("t", [] as never)).rejects.toMatchObject(refused)
    await expect(mill.publish("t", {}, { key: "" })).rejects.toMatchObject(refused)
    await expect(mill.publish("t", {}, { headers: { a: "\r\n" } })).rejects.toMatchObject(refused)
    await expect(mill.publish("t", { texts: Array(3).fill("x".repeat(100_000)) })).rejects.toMatchObject({
      code: "payload-too-large",
    })
    const caller = Object.values(callers)[0]?.(mills.dsn) as Caller
    await caller.transaction(async (tx, run) => {
      await expect(mill.publish("workflow.x", {}, { tx })).rejects.toMatchObject(refused)
      await run("insert into payments (id) values ('after a refusal')")
    })
    await caller.close()
  })

  test("SEC: the SQL function is for named roles only, and needs no right on the tables", async () => {
    const { tables } = mills
    await tables.script("create role publisher; grant usage on schema millrace to publisher")
    const publish = `select millrace.publish('by.sql', '{"n": 1}', 'k', '{"source": "sql"}') as id`
    const asPublisher = (text: string) => tables.script(`set local role publisher; ${text}`)
    await expect(asPublisher(publish)).rejects.toMatchObject({ code: "42501" })
    await tables.script("grant execute on function millrace.publish to publisher")
    await asPublisher(publish)
    await expect(asPublisher("select from millrace.events")).rejects.toMatchObject({ code: "42501" })
    await expect(asPublisher(`select millrace.publish('workflow.jobs.x', '{}')`)).rejects.toMatchObject({
      code: "22023",
    })
    await expect(asPublisher(`select millrace.publish('t', '[]')`)).rejects.toMatchObject({ code: "22023" })
    const seen = recorder()
    await mills.mill.on("by.sql", seen.handler)
    await expect.poll(seen.numbers).toEqual([1])
    expect(seen.events).toMatchObject([{ key: "k", headers: { source: "sql" } }])
    await tables.script("drop owned by publisher; drop role publisher")
  })
})
