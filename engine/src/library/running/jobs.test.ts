import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { releaseJobs } from "../../operations/flow/release-jobs.ts"
import { databaseNow } from "../../test-support/database-clock.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { eventually, gate, type Mills, openMills } from "../../test-support/mills.ts"
import { type JobCall, job } from "../authoring/job.ts"
import { NonRetryableError } from "../authoring/retries/error-kind.ts"
import { RetryableError } from "../authoring/retryable-error.ts"
import type { StandardSchemaV1 } from "../authoring/standard-schema.ts"
import { workflow } from "../authoring/workflow.ts"

let mills: Mills
beforeAll(async () => {
  mills = await openMills()
  await holdLoops(mills.kernel)
})
afterAll(() => mills.close())

const rows = (sql: string) => mills.tables.script(sql)
const row = async (id: string) => (await rows(`select * from millrace_views.jobs where id = '${id}'`))[0]
const deadLetter = async (id: string) =>
  (await rows(`select reason, error, retry_count, payload from millrace.dead_letters where instance_id = '${id}'`))[0]
/** Every job that waits for its next try becomes ready. */
const passTime = async () => {
  await mills.advanceClock(120_000)
  while ((await releaseJobs(mills.kernel, noTerm)) > 0);
}

interface Mail {
  readonly to: string
}
const sent: string[] = []
const sendEmail = job("send_email", async ({ payload }: JobCall<Mail>) => {
  sent.push(payload.to)
  return { sent: true, to: payload.to }
})

const address: StandardSchemaV1<{ to: string }, { to: string; domain: string }> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const { to } = value as { to: unknown }
      if (typeof to !== "string" || !to.includes("@")) return { issues: [{ message: "no address", path: ["to"] }] }
      return { value: { to, domain: to.split("@")[1] as string } }
    },
  },
}

test("a delay holds for a debounced job too: the later of both counts, and another does not make it earlier", async () => {
  const unique = { key: "u", for: "1m", mode: "debounce" } as const
  const dueAt = async (id: string) => Date.parse((await mills.mill.jobs.get(id)).dueAt as string)
  const first = await mills.mill.enqueue("patient", { n: 1 }, { delay: "1h", unique })
  const due = await dueAt(first.id)
  const { createdAt } = await mills.mill.jobs.get(first.id)
  expect(due - Date.parse(createdAt)).toBeGreaterThanOrEqual(3_600_000)
  const second = await mills.mill.enqueue("patient", { n: 2 }, { unique })
  expect(second).toMatchObject({ id: first.id, isRepeat: true })
  expect(await dueAt(first.id)).toBe(due)
  expect((await mills.mill.jobs.get(first.id)).payload).toEqual({ n: 2 })
})

describe("a worker", () => {
  test("D-T7, D-17, D-22: runs a job's handler, keeps its result, and is named in the record", async () => {
    const { id, isRepeat } = await mills.mill.enqueue(sendEmail, { to: "ada@example.org" }, { priority: "high" })
    expect(await mills.mill.jobs.get(id)).toMatchObject({ id, type: "send_email", status: "PENDING", priority: "high" })
    expect(await mills.mill.drain([sendEmail], { workerId: "worker-7" })).toMatchObject({ processed: 1 })
    expect(isRepeat).toBe(false)
    expect(sent).toEqual(["ada@example.org"])
    const done = await mills.mill.jobs.get(id)
    expect(done).toMatchObject({ status: "COMPLETED", result: { sent: true, to: "ada@example.org" }, retryCount: 0 })
    expect(done.payload).toEqual({ to: "ada@example.org" })
    expect(Date.parse(done.updatedAt)).toBeGreaterThanOrEqual(Date.parse(done.createdAt))
    expect(await row(id)).toMatchObject({ status: "COMPLETED", worker_id: "worker-7" })
  })

  test("D-T7: finds nothing to do in an empty queue", async () => {
    expect(await mills.mill.drain([sendEmail])).toMatchObject({ processed: 0 })
  })

  test("D-T7, D-22: a type that nobody knows what to do with is an error, and counts as the first retry", async () => {
    const unknown = job("send_fax", ({ payload }) => {
      throw new Error(`unknown type ${payload.type}`)
    })
    const { id } = await mills.mill.enqueue("send_fax", { type: "send_fax" })
    await mills.mill.drain([unknown])
    expect(await mills.mill.jobs.get(id)).toMatchObject({
      status: "PENDING",
      retryCount: 1,
      error: "unknown type send_fax",
    })
  })

  test("D-T7: out of retries it is FAILED, and a dead letter with its payload and its error", async () => {
    const doomed = job("doomed", () => Promise.reject(new Error("no luck")), { retries: 2 })
    const { id } = await mills.mill.enqueue(doomed, { n: 1 })
    for (let attempt = 0; attempt < 3; attempt++) {
      await mills.mill.drain([doomed])
      await passTime()
    }
    expect(await mills.mill.jobs.get(id)).toMatchObject({ status: "FAILED", error: expect.stringContaining("no luck") })
    expect(await deadLetter(id)).toMatchObject({ reason: "exhausted", payload: '{"n": 1}' })
  })

  test("D-X8, D-20: waits for no backoff: the job waits in the queue, and the worker takes the next one", async () => {
    const order: string[] = []
    const flaky = job("flaky", ({ payload, attempt }) => {
      order.push(`${payload.name} ${attempt}`)
      if (attempt === 1 && payload.name === "first") throw new Error("later")
    })
    const [first, second] = await mills.mill.enqueueMany(flaky, [{ name: "first" }, { name: "second" }])
    expect(await mills.mill.drain([flaky])).toMatchObject({ processed: 2 })
    expect(order).toEqual(["first 1", "second 1"])
    const waiting = await mills.mill.jobs.get(first?.id as string)
    expect(waiting).toMatchObject({ status: "PENDING", retryCount: 1 })
    expect(waiting.dueAt).toBeDefined()
    expect((await mills.mill.jobs.get(second?.id as string)).status).toBe("COMPLETED")
    await passTime()
    await mills.mill.drain([flaky])
    expect(order.at(-1)).toBe("first 2")
  })

  test.each<[string, (n: number) => Error, string]>([
    ["a NonRetryableError", () => new NonRetryableError("stolen card"), "stolen card"],
    ["a result that cannot be stored", () => Object.assign(new Error(), { result: 7 }), "must be a plain object"],
  ])("B-13: %s is not tried again", async (_, make, message) => {
    const once = job("once", () => {
      const error = make(0)
      if ("result" in error) return error.result
      throw error
    })
    const { id } = await mills.mill.enqueue(once, {})
    await mills.mill.drain([once])
    expect(await mills.mill.jobs.get(id)).toMatchObject({ status: "FAILED", error: expect.stringContaining(message) })
    expect(await deadLetter(id)).toMatchObject({ reason: "not-retryable" })
  })

  test("a RetryableError says how long the next try waits", async () => {
    const busy = job("busy", () => {
      throw new RetryableError("busy", { baseDelay: "PT10M", jitterFactor: 0 })
    })
    const { id } = await mills.mill.enqueue(busy, {})
    await mills.mill.drain([busy])
    const { dueAt = "" } = await mills.mill.jobs.get(id)
    expect(Date.parse(dueAt) - mills.kernel.clock.nowMs()).toBeGreaterThan(590_000)
  })

  test("D-20: a RetryableError doubles with the retries: a lease that was lost before is none of them", async () => {
    const busy = job("lost-before", () => {
      throw new RetryableError("busy", { baseDelay: "PT10M", jitterFactor: 0 })
    })
    const { id } = await mills.mill.enqueue(busy, {})
    await rows(`update millrace.jobs set epoch = 3, lost_leases = 3 where instance_id = '${id}'`)
    await mills.mill.drain([busy])
    const { dueAt = "", retryCount } = await mills.mill.jobs.get(id)
    expect(retryCount).toBe(1)
    expect(Date.parse(dueAt) - (await databaseNow(mills.tables))).toBeLessThanOrEqual(600_001)
  })

  test("D-20: a base of zero is at once at the 399th retry too", async () => {
    const hasty = job("hasty", () => Promise.reject(new Error("no luck")), {
      retries: 400,
      retry: { base: 0, factor: 100 },
    })
    const { id } = await mills.mill.enqueue(hasty, {})
    await rows(`update millrace.jobs set retries_left = 2 where instance_id = '${id}'`)
    await mills.mill.drain([hasty], { deadline: 60_000 })
    await passTime()
    await mills.mill.drain([hasty])
    expect(await mills.mill.jobs.get(id)).toMatchObject({ status: "FAILED" })
  })

  test("a Retry-After of the system that was called is the wait, and is told of that system", async () => {
    const pushed = job("pushed", () => {
      throw Object.assign(new Error("slow down"), { status: 429, headers: { "retry-after": "300" } })
    })
    const { id } = await mills.mill.enqueue(pushed, {}, { downstream: "psp" })
    await mills.mill.declare({ kind: "downstream", name: "psp", perSecond: 100, adaptive: true })
    await mills.mill.drain([pushed])
    const { dueAt = "" } = await mills.mill.jobs.get(id)
    expect(Date.parse(dueAt) - mills.kernel.clock.nowMs()).toBeGreaterThan(290_000)
    const [psp] = await rows(
      "select share, closed_until > millrace.clock() as closed from millrace.downstreams where name = 'psp'",
    )
    expect(psp).toMatchObject({ closed: true })
    expect(psp?.share).toBeLessThan(1)
  })

  test("takes workflows and jobs alike, and a handler serves the steps of graphs too", async () => {
    const greet = job("greet", ({ payload, key }) => ({ greeting: `hello ${payload.name}`, key }))
    const flow = workflow("hello", { steps: [function hello() {}] })
    await mills.mill.start(flow, {})
    const { id } = await mills.mill.enqueue(greet, { name: "Ada" })
    expect(await mills.mill.drain([flow, greet])).toMatchObject({ processed: 2 })
    expect((await mills.mill.jobs.get(id)).result).toEqual({ greeting: "hello Ada", key: id })
  })

  test("a workflow that was enqueued as a job is told so, and fails", async () => {
    const flow = workflow("started", { steps: [function begin() {}] })
    const { id } = await mills.mill.enqueue("started", {})
    await mills.mill.drain([flow])
    expect(await mills.mill.jobs.get(id)).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("is a workflow"),
    })
  })
})

describe("time", () => {
  test("D-19, D-T10: an attempt that takes too long is told to stop, and fails with a message of its own", async () => {
    const told = gate()
    let reason: unknown
    const slow = job(
      "slow",
      ({ signal }) =>
        new Promise(() =>
          signal.addEventListener("abort", () => {
            reason = signal.reason
            told.open()
          }),
        ),
      { timeout: 50 },
    )
    const { id } = await mills.mill.enqueue(slow, {})
    await mills.mill.drain([slow])
    await told.passed
    expect(reason).toMatchObject({ name: "TimeoutError", message: "timed out after 0.05 s" })
    expect(await mills.mill.jobs.get(id)).toMatchObject({
      status: "PENDING",
      retryCount: 1,
      error: "timed out after 0.05 s",
    })
  })

  test("D-19: what comes after the time is over does not count", async () => {
    const late = gate()
    const slow = job("late", () => late.passed.then(() => ({ late: true })), { timeout: 50, retries: 0 })
    const { id } = await mills.mill.enqueue(slow, {})
    await mills.mill.drain([slow])
    late.open()
    await late.passed
    expect(await mills.mill.jobs.get(id)).toMatchObject({
      status: "FAILED",
      error: "timed out after 0.05 s",
      result: null,
    })
  })

  test("D-17: a handler that hangs does not keep its place", async () => {
    const done: unknown[] = []
    const mixed = job("mixed", ({ payload }) => (payload.hangs ? new Promise(() => {}) : void done.push(payload.n)))
    await mills.mill.enqueue(mixed, { hangs: true }, { timeout: 50 })
    await mills.mill.enqueue(mixed, { n: 2 })
    const worker = await mills.mill.work([mixed])
    await eventually(() => done).toEqual([2])
    await worker.stop()
  })
})

describe("what is handed in", () => {
  const checked = job("checked", ({ payload }) => ({ domain: payload.domain }), { input: address })

  test("is judged when it is enqueued by its job", async () => {
    await expect(mills.mill.enqueue(checked, { to: "nobody" })).rejects.toThrow("$.to: no address")
    const { id } = await mills.mill.enqueue(checked, { to: "ada@example.org" })
    await mills.mill.drain([checked])
    expect((await mills.mill.jobs.get(id)).result).toEqual({ domain: "example.org" })
  })

  test("B-13: is judged again by the worker, and fails at once where it does not fit", async () => {
    const { id } = await mills.mill.enqueue("checked", { to: "nobody" })
    await mills.mill.drain([checked])
    const { status, error, retryCount } = await mills.mill.jobs.get(id)
    expect({ status, error }).toEqual({ status: "FAILED", error: expect.stringContaining("$.to: no address") })
    expect(retryCount).toBeLessThanOrEqual(1)
    expect(await deadLetter(id)).toMatchObject({ reason: "not-retryable" })
  })

  test("D-07: a handler is given the key of the job that died when its dead letter is replayed", async () => {
    const given: string[] = []
    const pay = job("pay-out", ({ key }) => {
      given.push(key)
      throw new Error("no answer from the bank")
    })
    const { id } = await mills.mill.enqueue(pay, {}, { retries: 0 })
    await mills.mill.drain([pay])
    await mills.mill.deadLetters.replay(id)
    await mills.mill.drain([pay])
    expect(given).toEqual([id, id])
  })

  test("the name of a workflow is refused at once, with how to start it, until a worker says that it is a job's", async () => {
    const enqueue = () => mills.mill.enqueue("once_a_list", {})
    await enqueue()
    await mills.mill.start(workflow("once_a_list", { steps: [function noted() {}] }), {})
    const refusal = {
      code: "bad-request",
      message: expect.stringMatching(
        /^once_a_list is a workflow, and cannot be enqueued .* mill\.start\("once_a_list", …\)/,
      ),
    }
    await expect(enqueue()).rejects.toMatchObject(refusal)
    await expect(mills.mill.enqueueMany("once_a_list", [{}])).rejects.toMatchObject(refusal)
    // Of a list with keys, which are decided one by one, nothing is stored either.
    const keyed = ["no_list", "once_a_list"].map((type, at) => ({ type, payload: {}, key: `${at}` }))
    await expect(mills.mill.enqueueMany(keyed)).rejects.toMatchObject(refusal)
    expect((await mills.mill.jobs.list({ type: "no_list" })).items).toEqual([])
    for (const _start of [1, 2]) {
      await (await mills.mill.work([job("once_a_list", () => undefined)])).stop()
      await enqueue()
    }
  })

  test("with a key it is one job, whose record is given back", async () => {
    const first = await mills.mill.enqueue("keyed", { n: 1 }, { key: "k" })
    const again = await mills.mill.enqueue("keyed", { n: 1 }, { key: "k" })
    expect(again).toEqual({ id: first.id, isRepeat: true })
    await expect(mills.mill.enqueue("keyed", { n: 2 }, { key: "k" })).rejects.toMatchObject({
      code: "idempotency-mismatch",
    })
  })

  test("D-X10: with a transaction it is there with its commit, and never without", async () => {
    const tx = await mills.tables.dedicated()
    for (const end of ["commit", "rollback"]) {
      await tx.query("begin")
      const one = await mills.mill.enqueue("within", { end }, { tx })
      const many = await mills.mill.enqueueMany([{ type: "within", payload: { end } }], { tx })
      await tx.query(end)
      const ids = [one, ...many].map(({ id }) => `'${id}'`)
      const found = await rows(`select from millrace.jobs where instance_id in (${ids.join()})`)
      expect([end, found.length]).toEqual([end, end === "commit" ? 2 : 0])
    }
    tx.release()
  })

  test("D-X10: many in a transaction of which one is refused: what comes after it is not stored", async () => {
    await mills.mill.enqueue("many-refused", { n: 1 }, { key: "k" })
    const tx = await mills.tables.dedicated()
    await tx.query("begin")
    const limit = { key: "many-refused", max: 1 }
    const items = [
      { type: "many-refused", payload: { n: 2 }, key: "k" },
      { type: "many-refused", payload: { n: 3 }, limit },
    ]
    await expect(mills.mill.enqueueMany(items, { tx })).rejects.toMatchObject({ code: "idempotency-mismatch" })
    await tx.query("commit")
    tx.release()
    expect(await rows("select from millrace.jobs where step_id = 'many-refused'")).toHaveLength(1)
  })

  test("D-X10: many in a transaction are judged as each by itself: by its key, and by its window", async () => {
    const tx = await mills.tables.dedicated()
    await tx.query("begin")
    const keyed = (n: number, key: string) => ({ type: "many-keyed", payload: { n }, key })
    const [first, repeat, other] = await mills.mill.enqueueMany([keyed(1, "a"), keyed(1, "a"), keyed(2, "b")], { tx })
    const windowed = { unique: { key: "w", for: 60_000, mode: "debounce" as const } }
    const [last, same] = await mills.mill.enqueueMany("many-windowed", [{ n: 1 }, { n: 2 }], { tx, ...windowed })
    await tx.query("commit")
    tx.release()
    expect([first?.isRepeat, repeat?.isRepeat, other?.isRepeat]).toEqual([false, true, false])
    expect([repeat?.id === first?.id, other?.id === first?.id, same?.id === last?.id]).toEqual([true, false, true])
    const found = await rows(`select payload ->> 'n' as n from millrace.jobs where instance_id = '${last?.id}'`)
    expect(found).toEqual([{ n: "2" }])
  })

  test("items of many kinds go together, each with its own settings before those they share", async () => {
    const jobs = await mills.mill.enqueueMany(
      [
        { type: "a", payload: { n: 1 } },
        { type: sendEmail, payload: { to: "x@example.org" }, priority: "critical", delay: "PT1H" },
      ],
      { priority: "high" },
    )
    const [a, b] = await Promise.all(jobs.map(({ id }) => mills.mill.jobs.get(id)))
    expect([a, b]).toMatchObject([
      { type: "a", priority: "high" },
      { type: "send_email", priority: "critical", dueAt: expect.any(String) },
    ])
  })

  test("can be taken back", async () => {
    const { id } = await mills.mill.enqueue("unwanted", {})
    await mills.mill.jobs.cancel(id, { reason: "changed my mind" })
    expect(await mills.mill.jobs.get(id)).toMatchObject({
      status: "CANCELLED",
      error: "cancelled by local: changed my mind",
    })
    await expect(mills.mill.jobs.get("nobody")).rejects.toMatchObject({ code: "not-found" })
  })
})
