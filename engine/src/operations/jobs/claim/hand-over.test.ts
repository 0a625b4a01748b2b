// A job made while somebody waits for it: leased in the transaction that makes it, handed over at its commit.

import { afterEach, beforeEach, expect, test } from "vitest"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops } from "../../../test-support/loops.ts"
import { jobRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { definitionsOf } from "../../definitions/definition-cache.ts"
import { readDepths } from "../../flow/read-depths.ts"
import { cancelInstance } from "../../instances/change-instance.ts"
import { startInstance } from "../../instances/start/start-instance.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { claimJobs } from "./claim-jobs.ts"
import { giveBackClaims, isAnyClaimed } from "./give-back-claims.ts"
import { wakeupsOf } from "./wakeups.ts"

let engine: TestEngine
let kernel: Kernel
let worker: ReturnType<typeof drive>

beforeEach(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  await engine.upload(workflow("flow", [service("a", "b"), service("b", "end"), end()]))
  kernel = await createBareKernel(engine.dsn)
  worker = drive(kernel)
  // Known from here on: what starts together is one batch.
  await definitionsOf(kernel).latest("flow")
})
afterEach(async () => {
  await kernel.db.close()
  await engine.close()
})

const waitFor = (jobType: string, more: { workerId?: string; maxJobs?: number; signal?: AbortSignal } = {}) =>
  claimJobs(kernel, { workerId: "w1", jobTypes: [jobType], maxJobs: 10, leaseMs: 30_000, waitMs: 60_000, ...more })

async function untilWaited(jobType: string): Promise<void> {
  while (!wakeupsOf(kernel).waitingFor().includes(jobType)) await new Promise((resolve) => setImmediate(resolve))
}

const claimsMade = async () =>
  (await kernel.metrics.registry.metrics()).match(/engine_batch_size_count\{operation="claim"\} (\d+)/)?.[1] ?? "0"

test("S6, C-35: the waiting claim gets the job under a good lease, and no claim was made for it", async () => {
  const waiting = waitFor("a")
  await untilWaited("a")
  const before = await claimsMade()
  const [sent] = await engine.db.script("select millrace.clock() as now")
  const id = await worker.start("flow", { x: 1 }, { businessKey: "k" })
  const [job] = await waiting
  const [got] = await engine.db.script("select millrace.clock() as now")
  expect(job).toMatchObject({ instanceId: id, jobType: "a", attempt: 1, businessKey: "k", definitionId: "flow" })
  expect(JSON.parse(job?.variables ?? "")).toEqual({ x: 1 })
  expect(job?.lockExpiresAt).toBeGreaterThanOrEqual((sent?.now as number) + 30_000)
  expect(job?.lockExpiresAt).toBeLessThanOrEqual((got?.now as number) + 30_000)
  expect(await claimsMade()).toBe(before)
  expect(await jobRows(engine.db, id)).toMatchObject([{ status: "leased", epoch: 1, worker_id: "w1" }])
  expect(job && (await worker.complete(job))).toBe("accepted")
})

test("S20: a job that is handed over is counted into its queue, and out of it when it has ended", async () => {
  const live = async () => [...(await readDepths(kernel)).queues.values()].reduce((all, one) => all + one, 0)
  const waiting = waitFor("a")
  await untilWaited("a")
  await worker.start("flow")
  const [job] = await waiting
  expect(await live()).toBe(1)
  const id = job?.instanceId as string
  await cancelInstance(kernel, { instanceId: id, reason: undefined, actor: "local" })
  expect(await live()).toBe(0)
})

test("C-62: the job of the next step is handed over too, with the variables as the step before left them", async () => {
  await worker.start("flow", { x: 1, keep: true })
  const first = await worker.claimOne("a")
  const waiting = waitFor("b")
  await untilWaited("b")
  await worker.complete(first, { x: 2 })
  const [second] = await waiting
  expect(JSON.parse(second?.variables ?? "")).toEqual({ x: 2, keep: true })
  expect(second && (await worker.complete(second))).toBe("accepted")
  expect(await worker.get(first.instanceId)).toMatchObject({ status: "COMPLETED" })
})

test("jobs are dealt in turn, nobody gets more than it asked for, and the rest are ready for all", async () => {
  const [x, y] = [waitFor("a", { workerId: "x", maxJobs: 2 }), waitFor("a", { workerId: "y", maxJobs: 1 })]
  await untilWaited("a")
  const ids = await Promise.all(Array.from({ length: 5 }, () => worker.start("flow")))
  const given = [await x, await y]
  expect(given.map((jobs) => jobs.length)).toEqual([2, 1])
  const rest = await worker.claim(["a"])
  expect([...given.flat(), ...rest].map((job) => job.instanceId).sort()).toEqual(ids.sort())
})

test("S1: a transaction that fails hands nothing over, and the claim goes on waiting", async () => {
  await engine.db.script(`create function say_no() returns trigger language plpgsql as $$
    begin if new.actor = 'refused' then raise exception 'no'; end if; return new; end $$`)
  await engine.db.script("create trigger say_no before insert on millrace.audit for each row execute function say_no()")
  const waiting = waitFor("a")
  await untilWaited("a")
  const refused = startInstance(kernel, { definitionId: "flow", variables: {}, actor: "refused" })
  await expect(refused).rejects.toThrow("no")
  await untilWaited("a")
  const id = await worker.start("flow")
  expect(await waiting).toMatchObject([{ instanceId: id }])
})

test("C-64: whoever goes while a job is on its way gives it back, and it costs no lost lease", async () => {
  const gone = new AbortController()
  const waiting = waitFor("a", { signal: gone.signal })
  await untilWaited("a")
  const started = worker.start("flow")
  while (wakeupsOf(kernel).waitingFor().length > 0) await new Promise((resolve) => setImmediate(resolve))
  gone.abort()
  const id = await started
  expect(await waiting).toEqual([])
  expect(await jobRows(engine.db, id)).toMatchObject([{ status: "ready", lost_leases: 0 }])
})

test("C-66: a claim that was given back cannot be given back again, though the next one has its number", async () => {
  await worker.start("flow")
  const mine = await worker.claimOne("a")
  await giveBackClaims(kernel, [mine])
  const theirs = await worker.claimOne("a")
  expect(theirs.attempt).toBe(mine.attempt)
  expect(await isAnyClaimed(kernel, [mine])).toBe(false)
  expect(await isAnyClaimed(kernel, [theirs])).toBe(true)
  await giveBackClaims(kernel, [mine])
  expect(await jobRows(engine.db, theirs.instanceId)).toMatchObject([{ status: "leased" }])
  expect(await worker.complete(mine)).toBe("stale")
  expect(await worker.complete(theirs)).toBe("accepted")
})

test("a claim that waits for several types is handed whichever comes, and is taken by one transaction alone", async () => {
  await engine.upload(workflow("other", [service("c", "end"), end()]))
  const waiting = claimJobs(kernel, {
    workerId: "w",
    jobTypes: ["a", "c"],
    maxJobs: 2,
    leaseMs: 30_000,
    waitMs: 60_000,
  })
  await untilWaited("c")
  const [one, two] = await Promise.all([worker.start("other"), worker.start("flow")])
  const first = await waiting
  const rest = await worker.claim(["a", "c"])
  expect([...first, ...rest].map((job) => job.instanceId).sort()).toEqual([one, two].sort())
})

test("a long poll does not look again at types that were found empty; a short one always does", async () => {
  expect(await worker.claim(["a"])).toEqual([])
  await worker.start("flow")
  await worker.complete(await worker.claimOne("a"))
  expect(await worker.claim(["a"])).toEqual([])
  const before = Number(await claimsMade())
  const waiting = waitFor("a")
  await untilWaited("a")
  expect(Number(await claimsMade())).toBe(before)
  expect(await worker.claim(["a"])).toEqual([])
  expect(Number(await claimsMade())).toBe(before + 1)
  wakeupsOf(kernel).close()
  await waiting
})
