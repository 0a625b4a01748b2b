// Step lists end to end: written as functions, started, run and watched in this process, on a real database.
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Database } from "./db/database.ts"
import {
  bestEffort,
  type Mill,
  millrace,
  RetryableError,
  type Step,
  sleep,
  type TxStep,
  userTask,
  waitForSignal,
  workflow,
} from "./index.ts"
import { createTestDatabase } from "./test-support/test-engine.ts"

let mill: Mill
let drop: () => Promise<void>

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  mill = await millrace({ database: created.dsn, logLevel: "silent" })
})
afterAll(async () => {
  await mill.stop()
  await drop()
})

test("a call after stop is refused in the words of the catalogue, at every door", async () => {
  const { dsn, drop } = await createTestDatabase()
  const stopped = await millrace({ database: dsn, logLevel: "silent" })
  const flow = workflow("too-late", { steps: [function greet() {}] })
  await stopped.stop()
  const calls = [
    () => stopped.start(flow, {}),
    () => stopped.enqueue("late", {}),
    () => stopped.runs.list(),
    () => stopped.jobs.get("01JN8Z3V5E8Q2R7W4Y6T9A1B3C"),
    () => stopped.deadLetters.list(),
  ]
  for (const call of calls)
    await expect(call()).rejects.toMatchObject({
      name: "EngineError",
      code: "unavailable",
      message: expect.stringContaining("is stopped"),
    })
  await drop()
})

interface Order {
  readonly email: string
}

test("A-17, A-20, A-23, A-31: plain functions in a list, what one returns the next may read, and the run is COMPLETED", async () => {
  const seen: string[] = []
  function validate({ input }: Step<Order>) {
    seen.push(`validate ${input.email}`)
  }
  function createAccount({ key }: Step<Order>) {
    seen.push("create")
    return { account: `account of ${key.split("/")[1]}` }
  }
  async function greet({ context }: Step<Order, { account: string }>) {
    seen.push(`greet ${context.account}`)
  }
  const flow = workflow("plain", { steps: [validate, createAccount, greet] })
  const { id } = await mill.start(flow, { email: "a@b" })
  const worker = await mill.work([flow])
  const run = await mill.runs.handle(id).ended()
  expect(run).toMatchObject({ status: "COMPLETED", variables: { account: "account of createAccount" } })
  expect(seen).toEqual(["validate a@b", "create", "greet account of createAccount"])
  await worker.stop()
})

test("A-25, A-26, A-T7: a best-effort step that fails is recorded and findable, and the run is COMPLETED", async () => {
  function attachCardOf() {
    throw new Error("declined")
  }
  function after() {
    return { done: true }
  }
  const flow = workflow("card", { steps: [bestEffort(attachCardOf), after] })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  expect(await mill.runs.handle(id).ended()).toMatchObject({ status: "COMPLETED", variables: { done: true } })
  expect((await mill.runs.failures({ workflow: flow, step: attachCardOf })).items).toMatchObject([
    { instanceId: id, error: "declined" },
  ])
  await worker.stop()
})

test("A-27, A-28, A-32, A-35, A-36: a retryable error waits for its time or for its event, then the whole list runs again", async () => {
  const calls: string[] = []
  function first() {
    calls.push("first")
  }
  function blocked({ attempt }: Step) {
    calls.push("blocked")
    if (attempt === 1) throw new RetryableError("not yet", { baseDelay: "PT1H", wakeOn: "event-1" })
  }
  const flow = workflow("blocking", { steps: [first, blocked] })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  await expect.poll(() => mill.wake("event-1")).toEqual({ woken: 1 })
  expect(await mill.runs.handle(id).ended()).toMatchObject({ status: "COMPLETED" })
  expect(calls).toEqual(["first", "blocked", "first", "blocked"])
  expect(await mill.wake("event-1")).toEqual({ woken: 0 })
  await worker.stop()
})

test("A-30: any other error fails the run, names the step, and a manual retry runs the list again", async () => {
  let broken = true
  function fragile() {
    if (broken) throw new Error("boom")
  }
  const flow = workflow("breaking", { steps: [fragile] })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  expect(await mill.runs.handle(id).ended()).toMatchObject({ status: "FAILED", failureReason: "fragile: boom" })
  broken = false
  await mill.runs.handle(id).retry()
  expect(await mill.runs.handle(id).ended()).toMatchObject({ status: "COMPLETED" })
  await worker.stop()
})

test("A-04, A-07, A-08, A-09, A-T1: intake takes a key once, however often and from wherever it comes", async () => {
  const flow = workflow("taken", { steps: [function noted() {}] })
  const keys = Array.from({ length: 20 }, () => randomUUID())
  const all = await Promise.all([...keys, ...keys, ...keys].map((key) => mill.intake(flow, { key }, { key })))
  expect(all).toHaveLength(60)
  const worker = await mill.work([flow], { concurrency: 10 })
  const ids = new Set(await Promise.all(keys.map(async (key) => (await mill.start(flow, { key }, { key })).id)))
  expect(ids.size).toBe(20)
  const key = keys[0] as string
  const { id: first } = await mill.start(flow, { key }, { key })
  await expect(mill.start(flow, { other: 1 }, { key })).rejects.toMatchObject({
    code: "idempotency-mismatch",
    message: `the key ${key} of taken is that of the run ${first}, which was started with another input`,
  })
  for (const id of ids) expect(await mill.runs.handle(id).ended()).toMatchObject({ status: "COMPLETED" })
  await worker.stop()
})

test("resume: a run that fails in the middle goes on from there, with the context as it was", async () => {
  const calls: string[] = []
  function one() {
    calls.push("one")
    return { a: 1 }
  }
  function two({ context, attempt }: Step<unknown, { a: number }>) {
    calls.push("two")
    if (attempt === 1) throw new RetryableError("again", { baseDelay: 1, jitterFactor: 0 })
    return { b: context.a + 1 }
  }
  const flow = workflow("resumed", { steps: [one, two], recover: "resume" })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  expect(await mill.runs.handle(id).ended()).toMatchObject({ status: "COMPLETED", variables: { a: 1, b: 2 } })
  expect(calls).toEqual(["one", "two", "two"])
  await worker.stop()
})

test("waits hold no worker: a signal that came early is kept, a sleep passes, and the run goes on", async () => {
  function before() {
    return { a: 1 }
  }
  function after({ context }: Step<unknown, { paid?: unknown }>) {
    return { got: context.paid ?? null }
  }
  const flow = workflow("waits", { steps: [before, waitForSignal("paid"), sleep("PT0.2S"), after], recover: "resume" })
  const early = await mill.start(flow, {})
  const late = await mill.start(flow, {})
  await early.signal("paid", { amount: 1 })
  const worker = await mill.work([flow])
  expect(await early.ended()).toMatchObject({ status: "COMPLETED", variables: { got: { amount: 1 } } })
  await expect.poll(() => mill.runs.get(late.id)).toMatchObject({ status: "WAITING" })
  await late.signal("paid", { amount: 2 })
  expect(await late.ended()).toMatchObject({ status: "COMPLETED", variables: { got: { amount: 2 } } })
  await worker.stop()
})

test("the function form: steps once, branches at once, waits parked, and the result at the end", async () => {
  const calls: string[] = []
  const flow = workflow("fn", async (run, input: { n: number }) => {
    const a = await run.step("a", () => {
      calls.push("a")
      return input.n + 1
    })
    const both = await run.all({
      x: () => run.step("x", () => a * 2),
      y: async () => {
        await run.sleep("nap", "PT0.1S")
        return run.step("y", () => a * 3)
      },
    })
    const told = await run.signal("go")
    return { ...both, told }
  })
  const { id } = await mill.start(flow, { n: 1 })
  const worker = await mill.work([flow])
  await expect.poll(async () => (await mill.runs.get(id)).status).toBe("WAITING")
  await mill.runs.handle(id).signal("go", { yes: true })
  expect(await mill.runs.handle(id).ended()).toMatchObject({
    status: "COMPLETED",
    variables: { result: { x: 4, y: 6, told: { yes: true } } },
  })
  expect(calls).toEqual(["a"])
  await worker.stop()
})

test("A-37, A-T3, A-T4: claim transaction: what the steps write commits with the outcome, or is gone", async () => {
  const { dsn, drop: dropIt } = await createTestDatabase()
  const own = await millrace({ database: dsn, logLevel: "silent" })
  const tables = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  await tables.script("create table public.written (id text, attempt integer)")
  let fail = true
  const flow = workflow("locked", {
    claim: "transaction",
    steps: [
      async function write({ tx, key, attempt }: TxStep) {
        await tx.query("insert into public.written values ($1, $2)", [key, attempt])
        await expect(tx.query("commit")).rejects.toThrow("COMMIT")
        if (fail) throw new RetryableError("later", { baseDelay: 1, jitterFactor: 0 })
      },
    ],
  })
  const run = await own.start(flow, {})
  const worker = await own.work([flow])
  await expect.poll(() => run.status()).toBe("ACTIVE")
  fail = false
  expect(await run.ended()).toMatchObject({ status: "COMPLETED" })
  expect(await tables.script("select * from public.written")).toHaveLength(1)
  await tables.close()
  await worker.stop()
  await own.stop()
  await dropIt()
})

test("a user task holds no worker; what a person says is in the context, and a limit may go on without it", async () => {
  function after({ context }: Step<unknown, { review?: unknown }>) {
    return { said: context.review ?? "nothing" }
  }
  const review = userTask({ name: "review", group: "ops", within: "PT1H", onTimeout: "continue" })
  const flow = workflow("reviewed", { steps: [review, after], recover: "resume" })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  await expect.poll(async () => (await mill.runs.get(id)).status).toBe("WAITING")
  await mill.runs.handle(id).completeUserTask("review", { ok: true }, { completedBy: "ada" })
  expect(await mill.runs.handle(id).ended()).toMatchObject({ status: "COMPLETED", variables: { said: { ok: true } } })
  await worker.stop()
})
