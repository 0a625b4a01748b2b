// Claims over priorities, tenants and downstreams on real PostgreSQL.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { setDownstream } from "../../flow/change-downstreams.ts"
import { setWeights } from "../../flow/change-weights.ts"
import { fills, LimitRound } from "../../flow/fill-limits.ts"
import { liveSettingsOf } from "../../flow/live-settings.ts"
import { openQueuesOf } from "../../flow/open-queues.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { type EnqueueRequest, enqueueJob } from "../enqueue/enqueue-job.ts"
import type { ClaimedJob } from "./claimed-job.ts"
import { wakeQueues } from "./wake-queues.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())
afterEach(() =>
  engine.db
    .script(
      "delete from millrace.jobs; delete from millrace.downstreams; delete from millrace.live_settings; update millrace.live_version set version = version + 1",
    )
    .then(() => liveSettingsOf(engine.kernel).refresh())
    .then(() => openQueuesOf(engine.kernel).changed()),
)

/** As a bulk would write them: the claims are what is tried here. */
async function stock(jobType: string, priority: string, count: number): Promise<void> {
  const key = { priority: priority as "normal", jobType, definitionId: "", downstream: "" }
  await queuesOf(engine.kernel).ensure([key])
  const id = queuesOf(engine.kernel).idOf(key)
  await engine.db.script(`insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, payload, created_at)
    select '${jobType}-${priority}-' || n, 0, ${id}, 'ready', nextval('millrace.job_seq'), '${jobType}', 0, '{}', now() from generate_series(1, ${count}) n`)
  wakeQueues(engine.kernel, [id])
}

const enqueue = (jobType: string, more: Partial<EnqueueRequest> = {}, kernel: Kernel = engine.kernel) =>
  enqueueJob(kernel, { jobType, payload: {}, whenFull: "absorb", actor: "local", ...more })

const claim = (jobTypes: readonly string[], count: number, kernel: Kernel = engine.kernel) =>
  drive(kernel).claim(jobTypes, count)
const share = (jobs: readonly ClaimedJob[], priority: string) => jobs.filter((job) => job.priority === priority).length

describe("priorities", () => {
  test.each([
    [1, 200],
    [10, 1_000],
    [100, 10_000],
  ])("F70, D-14, D-T3, S22: claims of %i follow 60/30/10 over %i picks", async (batch, picks) => {
    const type = `priorities-${batch}`
    for (const priority of ["critical", "high", "normal"]) await stock(type, priority, picks)
    const taken: ClaimedJob[] = []
    while (taken.length < picks) taken.push(...(await claim([type], batch)))
    expect(["critical", "high", "normal"].map((priority) => share(taken, priority))).toEqual([
      picks * 0.6,
      picks * 0.3,
      picks * 0.1,
    ])
  })

  test("where another claim has locked what is in front, each queue of a priority is read alone, and every job has its slot", async () => {
    for (const type of ["in-front", "behind"]) await stock(type, "normal", 12)
    const other = await engine.db.dedicated()
    try {
      await other.query("begin; select from millrace.jobs where step_id = 'in-front' order by seq limit 6 for update")
      const taken = await claim(["in-front", "behind"], 6)
      expect(taken.map(({ jobType }) => jobType).sort()).toEqual([
        ...Array(3).fill("behind"),
        ...Array(3).fill("in-front"),
      ])
    } finally {
      await other.query("rollback")
      other.release()
    }
  })

  test("a claim is filled from the priorities that have work", async () => {
    await stock("sparse", "critical", 1)
    await stock("sparse", "normal", 30)
    const taken = await claim(["sparse"], 20)
    expect([share(taken, "critical"), share(taken, "normal")]).toEqual([1, 19])
  })

  test("D-14: FIFO inside a priority, over all the types in it, by the moment of becoming ready", async () => {
    const ids: string[] = []
    for (let n = 0; n < 12; n++) ids.push((await enqueue(`fifo-${n % 3}`)).job.id)
    const taken = [
      ...(await claim(["fifo-0", "fifo-1", "fifo-2"], 5)),
      ...(await claim(["fifo-0", "fifo-1", "fifo-2"], 7)),
    ]
    expect(taken.map((job) => job.id)).toEqual(ids)
  })

  test("D-15: weights count at the next claim of every process", async () => {
    const other = await createBareKernel(engine.dsn)
    for (const priority of ["critical", "normal"]) await stock("steered", priority, 50)
    await queuesOf(other).refresh()
    await setWeights(engine.kernel, { actor: "ann" }, { critical: 100, high: 0, normal: 0 })
    await liveSettingsOf(other).refresh()
    for (const kernel of [engine.kernel, other])
      expect(share(await claim(["steered"], 20, kernel), "critical")).toBe(20)
    await other.db.close()
  })
})

describe("fair keys", () => {
  const tenantOf = async (jobs: readonly ClaimedJob[]) => {
    const rows = await engine.db.script(`select instance_id, fair_key from millrace.jobs`)
    const keys = new Map(rows.map((row) => [row.instance_id, row.fair_key]))
    return jobs.map((job) => keys.get(job.id) as string)
  }

  test("one tenant's many do not delay another's few: they take turns", async () => {
    for (let n = 0; n < 60; n++) await enqueue("fair", { fairKey: "big" })
    for (let n = 0; n < 3; n++) await enqueue("fair", { fairKey: "small" })
    const taken = await tenantOf([...(await claim(["fair"], 4)), ...(await claim(["fair"], 4))])
    expect(taken.filter((key) => key === "small")).toHaveLength(3)
    expect(await claim(["fair"], 100)).toHaveLength(55)
  })

  test("from claim to claim the turn goes on, and comes round", async () => {
    for (const key of ["a", "b", "c"]) for (let n = 0; n < 3; n++) await enqueue("turns", { fairKey: key })
    const taken: ClaimedJob[] = []
    for (let n = 0; n < 9; n++) taken.push(...(await claim(["turns"], 1)))
    const keys = await tenantOf(taken)
    expect(keys.slice(0, 6)).toEqual(["a", "b", "c", "a", "b", "c"])
    expect(keys).toHaveLength(9)
  })

  test("ageing: of ten picks one goes to the job that has waited longest, so that nobody's wait is without end", async () => {
    const first = (await enqueue("aged", { fairKey: "z" })).job.id
    for (let n = 0; n < 400; n++) await enqueue("aged", { fairKey: `t${String(n).padStart(3, "0")}` })
    const taken: ClaimedJob[] = []
    for (let n = 0; n < 10; n++) taken.push(...(await claim(["aged"], 1)))
    expect(taken.map((job) => job.id)).toContain(first)
  })
})

describe("limits", () => {
  const limit = { key: "tenant-7", max: 2 }

  test("no more of a key are handed out than its limit; an end of any kind makes room", async () => {
    for (let n = 0; n < 6; n++) await enqueue("limited", { limit, retries: 1 })
    const claimed: unknown[] = []
    const claimMore = async () => claimed.push(...(await claim(["limited"], 10)))
    await expect.poll(claimMore).toBe(2)
    expect(await claim(["limited"], 10)).toEqual([])
    const held = await engine.db.script(
      "select count(*)::int as n from millrace.jobs where status = 'held' and limit_key = 'tenant-7'",
    )
    expect(held).toEqual([{ n: 4 }])
  })

  test("released by completion, failure and lost lease alike; a round of the leader finds what a crash left open", async () => {
    const key = { key: "round", max: 1 }
    for (let n = 0; n < 3; n++) await enqueue("rounds", { limit: key })
    const worker = drive(engine.kernel)
    const first = await worker.claimOne("rounds")
    expect(await claim(["rounds"], 5)).toEqual([])
    await worker.complete(first)
    const second = await worker.claimOne("rounds")
    await worker.fail(second, "boom", false)
    const third = await worker.claimOne("rounds")
    expect(third.attempt).toBe(1)
    await worker.complete(third)
    // As if whoever freed the room had died before it could fill it.
    await engine.db.script("update millrace.limits set max = 1 where key = 'round'")
    for (let n = 0; n < 2; n++) await enqueue("rounds", { limit: key })
    await worker.claimOne("rounds")
    await engine.db.script("delete from millrace.jobs where limit_key = 'round' and status = 'leased'")
    const round = new LimitRound(engine.kernel)
    while (await round.next(noTerm));
    expect(await claim(["rounds"], 5)).toHaveLength(1)
  })

  test("any number of processes that fill at once let go no more than fit", async () => {
    for (let n = 0; n < 20; n++) await enqueue("crowd", { limit: { key: "crowd", max: 3 } })
    const others = await Promise.all([createBareKernel(engine.dsn), createBareKernel(engine.dsn)])
    await Promise.all(
      [engine.kernel, ...others].flatMap((kernel) => [fills(kernel).submit("crowd"), fills(kernel).submit("crowd")]),
    )
    expect(
      await engine.db.script(
        "select count(*)::int as n from millrace.jobs where limit_key = 'crowd' and status = 'ready'",
      ),
    ).toEqual([{ n: 3 }])
    for (const kernel of others) await kernel.db.close()
  })
})

describe("downstreams", () => {
  const declare = (name: string, column: "concurrency" | "perSecond", value: number) =>
    setDownstream(
      engine.kernel,
      { actor: "ann" },
      { name, perSecond: null, concurrency: null, adaptive: false, [column]: value },
    )

  test("concurrency: no more are leased than it can take, over all types and priorities", async () => {
    await declare("bank", "concurrency", 3)
    for (let n = 0; n < 5; n++) await enqueue("pay", { downstream: "bank", priority: n % 2 ? "critical" : "normal" })
    const taken = await claim(["pay"], 10)
    expect(taken).toHaveLength(3)
    expect(await claim(["pay"], 10)).toEqual([])
    await drive(engine.kernel).complete(taken[0] as ClaimedJob)
    expect(await claim(["pay"], 10)).toHaveLength(1)
  })

  test("rate: a slice at once, then as time goes by; the others are not held up", async () => {
    await declare("mailer", "perSecond", 20)
    for (let n = 0; n < 40; n++) await enqueue("send", { downstream: "mailer" })
    await enqueue("else")
    const first = await claim(["send"], 100)
    expect(first.length).toBeGreaterThanOrEqual(2)
    expect(first.length).toBeLessThanOrEqual(3)
    expect(await claim(["send"], 100)).toEqual([])
    expect(await claim(["send", "else"], 100)).toHaveLength(1)
    await engine.advanceClock(100)
    openQueuesOf(engine.kernel).changed()
    expect((await claim(["send"], 100)).length).toBeGreaterThanOrEqual(2)
  })
})
