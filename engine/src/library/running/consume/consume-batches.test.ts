// `mill.consume` with `batch`: events that have come together share a transaction, and fail each by itself.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type TopicReading, topicsOf } from "../../../operations/events/consume/topics.ts"
import { stopClock } from "../../../test-support/database-clock.ts"
import { gate, type Mills, openMills } from "../../../test-support/mills.ts"
import type { StepTx } from "../../authoring/step-types.ts"
import type { Mill } from "../mill.ts"
import type { BatchConsumption, BatchHandler } from "./consumption.ts"

let mills: Mills
let mill: Mill
const readings = new Map<string, TopicReading>()

beforeAll(async () => {
  mills = await openMills()
  await mills.tables.script("create table taken (type text, n integer, attempt integer)")
  const { mill: consuming, core } = await mills.another()
  mill = consuming
  // A failed event is tried again where a test lets the time pass, however slow the machine is.
  await stopClock(core.kernel)
  topicsOf(core.kernel).provide({
    open: (reading) => {
      readings.set(reading.type, reading)
      return { stop: async () => {} }
    },
    retentionMs: async () => 0,
  })
})
afterAll(() => mills.close())

interface Delivered {
  readonly type: string
  readonly n: number
  readonly id?: string
  readonly key?: string
  readonly value?: string
  readonly signal?: AbortSignal
}

const deliver = ({ type, n, id = `${type}-${n}`, key = `k${n}`, value, signal }: Delivered): Promise<void> => {
  const headers = { "event-id": id }
  const record = { topic: type, partition: 0, offset: BigInt(n), key, headers, writtenAt: 0 }
  const reading = readings.get(type) as TopicReading
  return reading.handle(
    { ...record, value: Buffer.from(value ?? JSON.stringify({ n })) },
    signal ?? new AbortController().signal,
  )
}

const numbersOf = ({ events }: BatchConsumption<StepTx>) => events.map(({ payload }) => payload.n as number)

const write: BatchHandler<StepTx> = async ({ events, tx }) => {
  for (const { type, payload, attempt } of events)
    await tx.query("insert into taken (type, n, attempt) values ($1, $2, $3)", [type, payload.n, attempt])
}

/** Consumes one batch at a time. The first event, number 0, is held until what shall come together has come. */
async function holding(type: string, handler: BatchHandler<StepTx>) {
  const [entered, leave] = [gate(), gate()]
  const calls: number[][] = []
  await mill.consume(type, { group: "g", concurrency: 1, batch: 10 }, async (call) => {
    const numbers = numbersOf(call)
    calls.push(numbers)
    if (numbers[0] === 0) {
      entered.open()
      await leave.passed
    }
    await handler(call)
  })
  const first = deliver({ type, n: 0 })
  await entered.passed
  const release = () => {
    leave.open()
    return first
  }
  return { calls, release }
}

const taken = (type: string) =>
  mills.tables.script(`select n, attempt, xmin::text from taken where type = '${type}' order by n`)
const marked = async (type: string) => {
  const rows = await mills.tables.script(
    `select event_id from millrace.processed_events where event_id like '${type}-%' order by event_id`,
  )
  return rows.map(({ event_id }) => event_id)
}

test("F-15: events that come while others are handled share a transaction, and each has its mark", async () => {
  const { calls, release } = await holding("shared", write)
  const others = [1, 2, 3].map((n) => deliver({ type: "shared", n }))
  await release()
  await Promise.all(others)
  expect(calls).toEqual([[0], [1, 2, 3]])
  const rows = await taken("shared")
  expect(rows.map(({ n }) => n)).toEqual([0, 1, 2, 3])
  expect(new Set(rows.map(({ xmin }) => xmin)).size).toBe(2)
  expect(await marked("shared")).toEqual(["shared-0", "shared-1", "shared-2", "shared-3"])
})

test("F-X1: an event that comes twice in a batch, or was taken before, is handled once", async () => {
  const { calls, release } = await holding("twice", write)
  const others = [
    deliver({ type: "twice", n: 1 }),
    deliver({ type: "twice", n: 2, id: "twice-1" }),
    deliver({ type: "twice", n: 3, id: "twice-0" }),
    deliver({ type: "twice", n: 4 }),
  ]
  await release()
  await Promise.all(others)
  await deliver({ type: "twice", n: 4 })
  expect(calls).toEqual([[0], [1, 4]])
  expect(await taken("twice")).toHaveLength(3)
})

describe("a batch whose handler fails", () => {
  test("F-14, F-X3: is taken apart; the event that fails is tried again by itself, and later ones of its key queue", async () => {
    let fails = true
    const { calls, release } = await holding("apart", async (call) => {
      await write(call)
      if (fails && numbersOf(call).includes(2)) throw new Error("not now")
    })
    const others = [1, 2, 3].map((n) => deliver({ type: "apart", n }))
    await release()
    await Promise.all(others)
    expect(calls).toEqual([[0], [1, 2, 3], [1], [2], [3]])
    expect((await taken("apart")).map(({ n }) => n)).toEqual([0, 1, 3])
    await Promise.all([deliver({ type: "apart", n: 4, key: "k2" }), deliver({ type: "apart", n: 5 })])
    expect((await taken("apart")).map(({ n }) => n)).toEqual([0, 1, 3, 5])
    fails = false
    await mills.advanceClock(2_001)
    await expect.poll(async () => (await taken("apart")).map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5])
    expect(calls.slice(-2)).toEqual([[2], [4]])
    expect((await taken("apart")).map(({ attempt }) => attempt)).toEqual([1, 1, 2, 1, 1, 1])
  })

  test("F-14: an event that queues behind a failed one is not in a batch: its lane is free while the others are handled", async () => {
    let fails = true
    const lanes = "select from millrace.consumer_lanes where consumer = 'consume:g:free' for update nowait"
    const free: boolean[] = []
    const { calls, release } = await holding("free", async (call) => {
      if (fails) throw new Error("not now")
      if (numbersOf(call).includes(5))
        free.push(
          await mills.tables
            .script(lanes)
            .then(() => true)
            .catch(() => false),
        )
    })
    await release()
    fails = false
    await Promise.all([deliver({ type: "free", n: 4, key: "k0" }), deliver({ type: "free", n: 5 })])
    expect(calls).toEqual([[0], [5]])
    expect(free).toEqual([true])
  })

  test("an event that ends its connection is found: it is tried again by itself, and the others are handled", async () => {
    const { calls, release } = await holding("fatal", async (call) => {
      await write(call)
      if (numbersOf(call).includes(2)) await call.tx.query("select pg_terminate_backend(pg_backend_pid())")
    })
    const others = [1, 2, 3].map((n) => deliver({ type: "fatal", n }))
    await release()
    await Promise.all(others)
    expect(calls).toEqual([[0], [1, 2, 3], [1], [2], [3]])
    expect((await taken("fatal")).map(({ n }) => n)).toEqual([0, 1, 3])
    expect(await marked("fatal")).toEqual(["fatal-0", "fatal-1", "fatal-2", "fatal-3"])
  })

  test("a message that cannot be read is a dead letter, and the others are handled", async () => {
    const { release } = await holding("garbled", write)
    const others = [deliver({ type: "garbled", n: 1, value: "{" }), deliver({ type: "garbled", n: 2 })]
    await release()
    await Promise.all(others)
    expect((await taken("garbled")).map(({ n }) => n)).toEqual([0, 2])
    const letters = await mills.tables.script(`select d.error from millrace.dead_letters d
      join millrace.queues q on q.id = d.queue_id where q.job_type = 'consume:g:garbled'`)
    expect(letters).toEqual([{ error: expect.stringMatching("the message cannot be read") }])
  })
})

test("F59: when one of a batch is taken away, nothing of the batch stays, and the others are handled by themselves", async () => {
  const away = new AbortController()
  const { calls, release } = await holding("moved", async (call) => {
    await write(call)
    if (numbersOf(call).length > 1) {
      away.abort()
      call.signal.throwIfAborted()
    }
  })
  const lost = deliver({ type: "moved", n: 1, signal: away.signal })
  const kept = deliver({ type: "moved", n: 2 })
  await release()
  await expect(lost).rejects.toThrow()
  await kept
  expect(calls).toEqual([[0], [1, 2], [2]])
  expect((await taken("moved")).map(({ n }) => n)).toEqual([0, 2])
  expect(await marked("moved")).toEqual(["moved-0", "moved-2"])
})

test("without options a consumer is told that it needs a group", async () => {
  const consume = mill.consume.bind(mill) as unknown as (...given: unknown[]) => Promise<unknown>
  const refusal = { code: "bad-request", message: 'a consumer of odd: a group is needed: { group: "…" }' }
  for (const given of [[write], [], [{}, write], [null, write], ["g", write]])
    await expect(consume("odd", ...given)).rejects.toMatchObject(refusal)
  const misspelt = { message: expect.stringContaining("did you mean `group`?") }
  await expect(consume("odd", { grup: "g" }, write)).rejects.toMatchObject(misspelt)
})

test("how many share a transaction is a whole number", async () => {
  for (const batch of [0, 1.5, 1_001, "ten" as unknown as number])
    await expect(mill.consume("odd", { group: "g", batch }, write)).rejects.toMatchObject({
      code: "bad-request",
      message: "batch must be a whole number from 1 to 1000",
    })
})
