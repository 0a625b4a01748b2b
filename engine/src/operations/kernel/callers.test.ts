// Every verb in a caller's own transaction, with each library that people use: it counts when the caller commits, and never else.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Mill } from "../../library/running/mill.ts"
import { millrace } from "../../millrace.ts"
import type { JsonObject } from "../../support/json.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { type Caller, callers, type Run } from "../../test-support/callers.ts"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { auditKinds, countRows } from "../../test-support/rows.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import { signalWait } from "../instances/change-instance.ts"
import { startInstance } from "../instances/start/start-instance.ts"
import { type CallersTx, within } from "./callers.ts"
import { digestOf } from "./idempotency.ts"
import type { Kernel } from "./kernel.ts"

let mill: Mill
/** Another process on the same database. */
let other: Kernel
let dsn: string
let drop: () => Promise<void>

const TABLES = ["instances", "finished_instances", "jobs", "audit", "history", "business_keys", "timers", "user_tasks"]
const inputSchema = { properties: { amount: { type: "integer" } } }

beforeAll(async () => {
  const created = await createTestDatabase()
  dsn = created.dsn
  drop = created.drop
  mill = await millrace({ database: dsn, logLevel: "silent" })
  other = await createBareKernel(dsn)
  await other.db.script("create table orders (id text primary key)")
  await mill.definitions.upload(workflow("ship", [service("ship", "end"), end()]))
  await mill.definitions.upload(workflow("waits", [step("WAIT", "paid", { nextStep: "end" }), end()]))
  await mill.definitions.upload(workflow("asks", [step("USER_TASK", "review", { nextStep: "end" }), end()]))
})
afterAll(async () => {
  await mill.stop()
  await other.db.close()
  await drop()
})

const contents = async () => Promise.all(TABLES.map((table) => countRows(other.db, table)))

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const orderOf = (id: string) => `insert into orders (id) values ('${id}')`
const hasOrder = async (id: string) => (await other.db.script(`select from orders where id = '${id}'`)).length === 1

describe.each(Object.entries(callers))("in a transaction of %s", (name, open) => {
  const slug = name.replaceAll(/\W+/g, "-")
  let caller: Caller
  beforeAll(async () => {
    caller = open(dsn)
    await mill.definitions.upload(workflow(slug, [service(slug, "end"), end()], { inputSchema }))
  })
  afterAll(() => caller.close())

  const start = (tx: CallersTx, variables: JsonObject = {}, businessKey?: string) =>
    mill.start(slug, variables, { businessKey, tx })

  test("S1: a rollback leaves nothing, though a worker waits for the job", async () => {
    const seen: string[] = []
    const worker = await mill.work({ handlers: { [slug]: ({ instanceId }) => void seen.push(instanceId) } })
    const before = await contents()
    const work = caller.transaction(async (tx, run) => {
      await run(orderOf(`${name} gone`))
      const { id } = await start(tx, {}, `${name} gone`)
      expect(
        await run(`select status from millrace.jobs where instance_id = '${id}' and status = 'ready'`),
      ).toHaveLength(1)
      throw new Error("out of stock")
    })
    await expect(work).rejects.toThrow("out of stock")
    expect(await contents()).toEqual(before)
    expect(await hasOrder(`${name} gone`)).toBe(false)
    await worker.stop()
    expect(seen).toEqual([])
  })

  test("S1, S3: a commit starts exactly one, which is found and done", async () => {
    const worker = await mill.work({ handlers: { [slug]: (job) => ({ shipped: job.variables.amount ?? null }) } })
    const started = await caller.transaction(async (tx, run) => {
      await run(orderOf(`${name} kept`))
      return start(tx, { amount: 3 }, `${name} kept`)
    })
    expect(await mill.runs.handle(started.id).ended()).toMatchObject({
      status: "COMPLETED",
      variables: { amount: 3, shipped: 3 },
    })
    await worker.stop()
    expect(await hasOrder(`${name} kept`)).toBe(true)
    expect(await countRows(other.db, "finished_instances", `business_key = '${name} kept'`)).toBe(1)
    const kinds = await auditKinds(other.db, started.id)
    expect(kinds.filter((kind) => kind === "INSTANCE_STARTED")).toHaveLength(1)
  })

  test("C-21: what we refuse leaves the transaction usable and the connection's settings alone", async () => {
    const holder = await mill.start(slug, {}, { businessKey: `${name} taken` })
    await caller.transaction(async (tx, run) => {
      await run("set local lock_timeout = '1234ms'")
      const refused = [
        [() => mill.start("nobody", {}, { tx }), "not-found"],
        [() => start(tx, { amount: "many" }), "bad-request"],
        [() => start(tx, {}, `${name} taken`), "conflict"],
        [() => holder.signal("paid", {}, { tx }), "not-found"],
        [() => mill.runs.handle("01ARZ3NDEKTSV4RRFFQ69G5FAV").cancel({ tx }), "not-found"],
      ] as const
      for (const [call, code] of refused) await expect(call()).rejects.toMatchObject({ code })
      const [row] = await run("select current_setting('lock_timeout') as wait")
      expect(Object.values(row ?? {})).toEqual(["1234ms"])
      await run(orderOf(`${name} after all`))
    })
    expect(await hasOrder(`${name} after all`)).toBe(true)
    await holder.cancel()
  })

  test("C-74: a signal, a completed task and a cancellation count together with a start, or not at all", async () => {
    const [paid, asked, stale] = await Promise.all(
      ["waits", "asks", "waits"].map((definitionId) => mill.start(definitionId)),
    )
    if (!paid || !asked || !stale) throw new Error("not started")
    const all = async (tx: CallersTx, run: Run) => {
      await run(orderOf(`${name} together`))
      const { id } = await start(tx, {}, `${name} together`)
      await mill.runs.handle(paid.id).signal("paid", { by: "card" }, { tx })
      await mill.runs.handle(asked.id).completeUserTask("review", { fine: true }, { completedBy: "ada", tx })
      await mill.runs.handle(stale.id).cancel({ reason: "superseded", tx })
      return id
    }
    const before = await contents()
    const failed = caller.transaction(async (tx, run) => {
      await all(tx, run)
      throw new Error("no")
    })
    await expect(failed).rejects.toThrow("no")
    expect(await contents()).toEqual(before)
    const id = await caller.transaction(all)
    expect(await mill.runs.get(id)).toMatchObject({ status: "ACTIVE" })
    expect(await mill.runs.get(paid.id)).toMatchObject({ status: "COMPLETED", variables: { by: "card" } })
    expect(await mill.runs.get(asked.id)).toMatchObject({ status: "COMPLETED", variables: { fine: true } })
    expect(await mill.runs.get(stale.id)).toMatchObject({ status: "CANCELLED", failureReason: "superseded" })
    await mill.runs.handle(id).cancel()
  })

  test("S4: what one transaction started it may signal and end, and its own end is a conflict to it", async () => {
    const id = await caller.transaction(async (tx) => {
      const { id } = await mill.start("waits", {}, { tx })
      await mill.runs.handle(id).signal("paid", { at: "once" }, { tx })
      await expect(mill.runs.handle(id).signal("paid", {}, { tx })).rejects.toMatchObject({ code: "conflict" })
      await expect(mill.runs.handle(id).cancel({ tx })).rejects.toMatchObject({ code: "conflict" })
      return id
    })
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { at: "once" } })
  })

  test("S16: calls that are not awaited one by one take turns: no number of the trail twice", async () => {
    const { id } = await mill.start("waits")
    await caller.transaction(async (tx) => {
      const calls = [mill.runs.handle(id).signal("paid", {}, { tx }), start(tx), mill.runs.handle(id).cancel({ tx })]
      const results = await Promise.allSettled(calls)
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"])
    })
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  })

  test("C-21: a version that another process has uploaded since is the one that starts; the transaction does not fail for it", async () => {
    const id = `versions-of-${slug}`
    const document = (jobType: string) => workflow(id, [service(jobType, "end"), end()])
    await mill.definitions.upload(document("a"))
    await uploadDefinition(other, { document: document("b"), actor: "local" })
    const started = await caller.transaction((tx) => mill.start(id, {}, { tx }))
    expect(await mill.runs.get(started.id)).toMatchObject({ definitionVersion: 2, currentStepIds: ["b"] })
  })
})

describe("a request key in a caller's transaction", () => {
  const keyOf = (key: string) => ({ scope: "caller", key, digest: digestOf({}) })
  const keys = (key: string) => countRows(other.db, "request_keys", `key = '${key}'`)

  test("S3: the second with a key gets the answer of the first, in the same transaction and after it", async () => {
    const caller = callers["postgres.js"]!(dsn)
    const request = { definitionId: "ship", variables: {}, actor: "local", requestKey: keyOf("once") }
    const start = (tx: CallersTx) => within(other, tx, (tx) => startInstance(other, request, tx))
    const { instance } = await caller.transaction(async (tx) => {
      const first = await start(tx)
      expect(await start(tx)).toEqual({ instance: first.instance, isRepeat: true })
      return first
    })
    expect(await caller.transaction(start)).toEqual({ instance, isRepeat: true })
    expect(await countRows(other.db, "jobs", `instance_id = '${instance.id}'`)).toBe(1)
    await caller.close()
  })

  test("S3: what was refused leaves no key behind, though the transaction goes on", async () => {
    const caller = callers.Kysely!(dsn)
    const taken = await mill.start("ship", {}, { businessKey: "taken once" })
    const requestKey = keyOf("refused")
    await caller.transaction(async (tx) => {
      const start = { definitionId: "ship", variables: {}, actor: "local", businessKey: "taken once", requestKey }
      const signal = { instanceId: taken.id, stepId: "nowhere", variables: {}, actor: "local", requestKey }
      await expect(within(other, tx, (tx) => startInstance(other, start, tx))).rejects.toMatchObject({
        code: "conflict",
      })
      await expect(within(other, tx, (tx) => signalWait(other, signal, tx))).rejects.toMatchObject({
        code: "not-found",
      })
    })
    expect(await keys("refused")).toBe(0)
    await caller.close()
  })
})

describe("a caller that takes its time", () => {
  /** How much of what others want is done when the first is refused who wants the same. */
  async function doneAtFirstRefusal(caller: Caller, businessKey: string): Promise<number> {
    const held = await mill.start("waits")
    const inside = deferred()
    const finish = deferred()
    const slow = caller.transaction(async (tx) => {
      await mill.start("ship", {}, { businessKey, tx })
      await held.signal("paid", {}, { tx })
      inside.resolve()
      await finish.promise
    })
    await inside.promise
    // One batch with the first of those that are not to be delayed.
    const wanted = mill.start("ship", {}, { businessKey })
    const refused = [
      wanted,
      caller.transaction((tx) => mill.start("ship", {}, { businessKey, tx })),
      caller.transaction((tx) => held.cancel({ tx })),
    ].map((call) => expect(call).rejects.toMatchObject({ code: "unavailable" }))
    let done = 0
    const doneBefore = Promise.race(refused).then(() => done)
    const work = async (key?: string) => {
      const { id } = await mill.start("waits", {}, { businessKey: key })
      await mill.runs.handle(id).signal("paid")
      expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
      done += 1
    }
    const quick = ["quick", undefined].map(async (key) => {
      for (let n = 0; n < 5; n++) await work(key)
    })
    await Promise.all([...quick, ...refused])
    finish.resolve()
    await slow
    expect(await mill.runs.get(held.id)).toMatchObject({ status: "COMPLETED" })
    return doneBefore
  }

  test("F21: it delays nobody who wants something else, and who wants the same is told to come back", async () => {
    const caller = callers.pg!(dsn)
    let rounds = 0
    // Who wants the same is told after seconds of waiting; nothing else waits with it. On a machine that stands still for as long, nothing
    // else is done either: then it is looked at once more.
    await expect.poll(() => doneAtFirstRefusal(caller, `slow ${++rounds}`)).toBeGreaterThan(0)
    await caller.close()
  })

  test("S1: in a snapshot of its own it meets what came since as try again, not as a lost update", async () => {
    const caller = callers.pg!(dsn)
    const { id } = await mill.start("waits")
    const work = caller.transaction(async (tx, run) => {
      await run("set transaction isolation level repeatable read")
      await run("select from orders")
      await mill.runs.handle(id).signal("paid", { from: "elsewhere" })
      await mill.runs.handle(id).signal("paid", { from: "inside" }, { tx })
    })
    await expect(work).rejects.toMatchObject({ code: "unavailable" })
    expect(await mill.runs.get(id)).toMatchObject({ variables: { from: "elsewhere" } })
    await caller.close()
  })
})

test("the caller's transaction finds the tables of the engine's own schema", async () => {
  const tenant = await millrace({ database: dsn, schema: "tenant_1", logLevel: "silent" })
  await tenant.definitions.upload(workflow("ship", [service("ship", "end"), end()]))
  const caller = callers["postgres.js"]!(dsn)
  const run = await caller.transaction((tx) => tenant.start("ship", {}, { businessKey: "k", tx }))
  expect(await run.status()).toBe("ACTIVE")
  await expect(mill.runs.get(run.id)).rejects.toMatchObject({ code: "not-found" })
  await caller.close()
  await tenant.stop()
})
