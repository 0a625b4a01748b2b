// Jobs in the hand of the program that enqueued them, by key, and in lists; and what has died.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type JobCall, JobFailedError, job, NonRetryableError, type Step, workflow } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "../running/mill.ts"
import type { EndedJobFilter } from "./jobs.ts"

const NOWHERE = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

const half = job("half", ({ payload }: JobCall<{ n: number }>) => {
  if (payload.n < 0) throw new NonRetryableError(`${payload.n} is too little`)
  return { half: payload.n / 2 }
})

describe("a job in the hand", () => {
  test("its result is what the handler returned, and undefined where that was nothing", async () => {
    const silent = job("silent", () => {})
    const [first, second] = [await mill.enqueue(half, { n: 8 }), await mill.enqueue(silent, {})]
    expect(await first.status()).toBe("PENDING")
    const results = Promise.all([first.result(), second.result()])
    await mill.drain([half, silent])
    expect(await results).toEqual([{ half: 4 }, undefined])
    expect(await first.ended()).toMatchObject({ status: "COMPLETED", payload: { n: 8 } })
  })

  test("a repeat by its key is the same job", async () => {
    const first = await mill.enqueue(half, { n: 1 }, { key: "k-1" })
    const again = await mill.enqueue(half, { n: 1 }, { key: "k-1" })
    expect([first.isRepeat, again.isRepeat, again.id]).toEqual([false, true, first.id])
    expect(await mill.jobs.find({ type: half, key: "k-1" })).toMatchObject({ id: first.id, status: "PENDING" })
    await mill.drain([half])
    expect(await mill.jobs.find({ type: "half", key: "k-1" })).toMatchObject({ status: "COMPLETED" })
    expect(await mill.jobs.find({ type: half, key: "k-2" })).toBeUndefined()
    expect(await mill.jobs.find({ type: "whole", key: "k-1" })).toBeUndefined()
  })

  test("an error with the reason where it has failed for good, or was cancelled", async () => {
    const [failed, cancelled] = [await mill.enqueue(half, { n: -1 }), await mill.enqueue("nobody", {})]
    const ends = Promise.all([failed, cancelled].map((each) => each.result().catch((error: unknown) => error)))
    await mill.drain([half])
    await cancelled.cancel({ reason: "not any more" })
    const [first, second] = await ends
    expect(first).toBeInstanceOf(JobFailedError)
    expect(first).toMatchObject({ jobId: failed.id, status: "FAILED", reason: "-1 is too little" })
    expect(second).toMatchObject({ status: "CANCELLED", reason: expect.stringContaining("not any more") })
  })

  test("many are as many handles, in their order", async () => {
    const jobs = await mill.enqueueMany(half, [{ n: 2 }, { n: 4 }])
    await mill.drain([half])
    expect(await Promise.all(jobs.map((each) => each.result()))).toEqual([{ half: 1 }, { half: 2 }])
  })

  test("what is not there is not-found; why one does not move is told", async () => {
    const none = mill.jobs.handle(NOWHERE)
    for (const verb of ["result", "ended", "status", "cancel", "waiting"] as const)
      await expect(none[verb]()).rejects.toMatchObject({ code: "not-found" })
    await expect(mill.jobs.get(NOWHERE)).rejects.toMatchObject({ code: "not-found" })
    const waits = await mill.enqueue("nobody", {})
    expect((await waits.waiting()).length).toBeGreaterThan(0)
    await mill.jobs.cancel(waits.id)
    expect(await mill.jobs.handle(half, waits.id).status()).toBe("CANCELLED")
  })
})

describe("the list of jobs", () => {
  test("by status, type and priority, page by page", async () => {
    const high = await mill.enqueueMany("listed", [{}, {}, {}], { priority: "high" })
    await mill.enqueue("listed", {}, { delay: "1h" })
    await mill.enqueue("listed", {})
    const seen: string[] = []
    for await (const { id } of await mill.jobs.list({ type: "listed", priority: "high", pageSize: 2 })) seen.push(id)
    expect(seen).toEqual(high.map(({ id }) => id))
    expect((await mill.jobs.list({ type: "listed" })).items).toHaveLength(4)
    expect((await mill.jobs.list({ type: "listed", status: "delayed" })).items).toMatchObject([{ status: "delayed" }])
    await expect(mill.jobs.list({ status: "done" as "ready" })).rejects.toMatchObject({ code: "bad-request" })
  })
})

test("jobs are listed by the beginning of their key, live and ended, by type and key", async () => {
  const keysOf = async (filter: { readonly status?: "ready"; readonly keyPrefix: string } | EndedJobFilter) => {
    const keys: (string | undefined)[] = []
    for await (const { key } of await mill.jobs.list(filter as EndedJobFilter)) keys.push(key)
    return keys
  }
  for (const key of ["import-2", "import-1", "export-1"]) await mill.enqueue(half, { n: 1 }, { key })
  expect(await keysOf({ keyPrefix: "import-" })).toEqual(["import-1", "import-2"])
  expect(await keysOf({ keyPrefix: "import-", status: "ended" })).toEqual([])
  await mill.drain([half])
  expect(await keysOf({ keyPrefix: "import-" })).toEqual([])
  expect(await keysOf({ keyPrefix: "import-", status: "ended", type: half })).toEqual(["import-1", "import-2"])
  await expect(mill.jobs.list({ keyPrefix: "" })).rejects.toMatchObject({ code: "bad-request" })
})

describe("the list of jobs that have ended", () => {
  test("by how they ended and by type, newest first, page by page; an element gives its type", async () => {
    const ends = job("ends", ({ payload }: JobCall<{ fails: boolean }>) => {
      if (payload.fails) throw new NonRetryableError("broken")
    })
    const [done, broken, taken] = await mill.enqueueMany(ends, [{ fails: false }, { fails: true }, { fails: true }])
    await mill.jobs.cancel(taken?.id ?? "")
    await mill.drain([ends])
    const seen: string[] = []
    for await (const { id } of await mill.jobs.list({ status: "ended", type: ends, pageSize: 1 })) seen.push(id)
    expect(seen).toEqual([taken?.id, broken?.id, done?.id])
    const of = async (status: "COMPLETED" | "FAILED" | "CANCELLED") =>
      (await mill.jobs.list({ status, type: ends })).items
    expect(await of("COMPLETED")).toMatchObject([{ id: done?.id, status: "COMPLETED", attempts: 1 }])
    expect(await of("FAILED")).toMatchObject([{ id: broken?.id, error: "broken" }])
    expect(await of("CANCELLED")).toMatchObject([{ id: taken?.id }])
  })
})

describe("dead letters", () => {
  test("A-39: grouped by error, listed, replayed and discarded, those of jobs and those of runs", async () => {
    let isBroken = true
    const fragile = job("fragile", ({ payload }: JobCall<{ n: number }>) => {
      if (isBroken) throw new NonRetryableError("the bank is closed")
      return { n: payload.n }
    })
    const flow = workflow("fragile-run", {
      steps: [
        function pay({ input }: Step<{ n: number }>) {
          if (isBroken) throw new Error(`no money in ${input.n}`)
          return { paid: true }
        },
      ],
    })
    const jobs = await mill.enqueueMany(fragile, [{ n: 1 }, { n: 2 }, { n: 3 }])
    const run = await mill.start(flow, { n: 7 })
    await mill.drain([fragile, flow])
    const { items: groups } = await mill.deadLetters.groups()
    const closed = groups.find(({ error }) => error.includes("closed"))
    expect(closed).toMatchObject({ count: 3 })
    const filter = { fingerprint: closed?.fingerprint, pageSize: 2 }
    const letters = new Map<string, string>()
    for await (const { id, jobId } of await mill.deadLetters.list(filter)) letters.set(jobId, id)
    expect([...letters.keys()]).toEqual(jobs.map(({ id }) => id).reverse())
    isBroken = false
    const [first, second, third] = jobs.map(({ id }) => id) as [string, string, string]
    const { jobId = "" } = await mill.deadLetters.replay(first)
    await mill.deadLetters.discard(second)
    const [ofRun] = (await mill.deadLetters.list({ workflow: flow })).items
    await mill.deadLetters.replay(ofRun?.id ?? "")
    await mill.drain([fragile, flow])
    expect(await mill.jobs.handle(fragile, jobId).result()).toEqual({ n: 1 })
    expect(await run.result()).toEqual({ paid: true })
    expect((await mill.deadLetters.list({ type: fragile })).items).toMatchObject([{ jobId: third }])
    expect(await mill.deadLetters.get(third)).toMatchObject({ history: [{ outcome: "failed" }] })
    await expect(mill.deadLetters.replay(letters.get(first) ?? "")).rejects.toMatchObject({ code: "conflict" })
    await expect(mill.deadLetters.discard(NOWHERE)).rejects.toMatchObject({ code: "not-found" })
    await expect(mill.deadLetters.list({ source: "steps" as "step" })).rejects.toMatchObject({ code: "bad-request" })
  })
})
