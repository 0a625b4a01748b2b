// Leadership on a real database: one leader per loop, a takeover when it goes silent, and no write under an old term.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Core } from "../core.ts"
import { uploadDefinition } from "../operations/definitions/upload-definition.ts"
import { releaseJobs } from "../operations/flow/release-jobs.ts"
import { createBulk, getBulk, runBulk } from "../operations/instances/bulk-instances.ts"
import { runRequests } from "../operations/instances/run-requests.ts"
import { fireTimers } from "../operations/instances/run-timers.ts"
import { startChains } from "../operations/instances/start-chains.ts"
import { LeaseSweeper } from "../operations/jobs/end/sweep-leases.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { LOOPS } from "../operations/kernel/loops.ts"
import { resign, TERM_MS, takePulse, termProof } from "../operations/upkeep/take-pulse.ts"
import { createBareKernel } from "../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../test-support/database-clock.ts"
import { end, service, step, workflow } from "../test-support/definitions.ts"
import { drive } from "../test-support/drive.ts"
import { countRows, jobRows } from "../test-support/rows.ts"
import { openTestCore } from "../test-support/test-core.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"

let database: { dsn: string; drop(): Promise<void> }
/** Two processes that beat only when told to. */
let one: Kernel
let two: Kernel

beforeAll(async () => {
  database = await createTestDatabase()
  one = await createBareKernel(database.dsn)
  two = await createBareKernel(database.dsn)
  for (const kernel of [one, two]) await stopClock(kernel)
})
beforeEach(() => one.db.script("delete from millrace.leaders; delete from millrace.processes"))
afterAll(async () => {
  await one.db.close()
  await two.db.close()
  await database.drop()
})

const beat = async (kernel: Kernel) => takePulse(kernel, kernel === one ? "one" : "two", 0)
const termsOf = async (kernel: Kernel) => Object.fromEntries((await beat(kernel)).terms)
const all = (term: number) => Object.fromEntries(LOOPS.map((loop) => [loop, term]))

describe("a term", () => {
  test("C-125: one process leads each loop, the others skip silently and know of each other", async () => {
    expect(await termsOf(one)).toEqual(all(1))
    expect(await termsOf(two)).toEqual({})
    expect(await termsOf(one)).toEqual(all(1))
    expect([(await beat(one)).others, (await beat(two)).others]).toEqual([1, 1])
  })

  test("D-30: a process that was told which loops it may lead leads only those, and others lead the rest", async () => {
    const reaper = async () => Object.fromEntries((await takePulse(one, "one", 0, ["reaper"])).terms)
    expect(await reaper()).toEqual({ reaper: 1 })
    const { reaper: _, ...rest } = all(1)
    expect(await termsOf(two)).toEqual(rest)
    await resign(two, "two")
    expect(await reaper()).toEqual({ reaper: 1 })
  })

  test("C-125: 8 first beats at once make one leader per loop", async () => {
    const beats = await Promise.all(Array.from({ length: 8 }, (_, n) => takePulse(n % 2 ? one : two, `p${n}`, 0)))
    for (const loop of LOOPS) expect(beats.filter(({ terms }) => terms.has(loop))).toHaveLength(1)
  })

  test("F20, C-101: a leader that misses its beats is replaced under a higher term, and follows when it wakes", async () => {
    await beat(one)
    await advanceClock(one, TERM_MS - 1_000)
    expect(await termsOf(two)).toEqual({})
    await advanceClock(one, 1_001)
    expect(await termsOf(two)).toEqual(all(2))
    expect(await termsOf(one)).toEqual({})
  })

  test("a leader that beats in time keeps its term, however long", async () => {
    for (let n = 0; n < 5; n++) {
      expect(await termsOf(one)).toEqual(all(1))
      await advanceClock(one, TERM_MS - 1_000)
    }
    expect(await termsOf(one)).toEqual(all(1))
  })

  test("C-125: a leader that stops lets go at once", async () => {
    await beat(one)
    await resign(one, "one")
    expect((await beat(two)).others).toBe(0)
    expect(await termsOf(two)).toEqual(all(2))
  })

  test("F20: a takeover waits for the old leader's transaction, and refuses its next", async () => {
    await beat(one)
    const guard = termProof("timers", 1)
    let finish = () => {}
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    let entered = () => {}
    const inside = new Promise<void>((resolve) => {
      entered = resolve
    })
    const writing = one.db.transaction(async (tx) => {
      await guard(tx)
      entered()
      await held
    })
    await inside
    await advanceClock(two, TERM_MS + 1)
    const takeover = termsOf(two)
    await untilBlocked(two)
    finish()
    await writing
    expect(await takeover).toEqual(all(2))
    await expect(one.db.transaction(async (tx) => guard(tx))).rejects.toMatchObject({ code: "MR002" })
  })
})

/** Until somebody waits for a row of `leaders`. */
async function untilBlocked({ db }: Kernel): Promise<void> {
  for (;;) {
    const rows = await db.script(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%millrace.leaders%'`)
    if (rows.length > 0) return
  }
}

describe("a stale leader", () => {
  test("F20, S6: no loop of it writes anything", async () => {
    const worker = drive(one)
    const timed = { boundaryEvents: [{ type: "TIMER", duration: "PT1M", interrupting: true, targetStepId: "end" }] }
    const upload = (document: ReturnType<typeof workflow>) => uploadDefinition(one, { document, actor: "local" })
    await upload(workflow("timed", [step("WAIT", "w", { nextStep: "end", ...timed }), end()]))
    await upload(workflow("leased", [service("leased", "end", { retryCount: 1 }), end()]))
    await upload(workflow("held", [service("held", "end", { retryCount: 1 }), end()]))
    await upload(workflow("chained", [end()], { autoStartNextWorkflow: true, nextWorkflowId: "timed" }))
    const timedId = await worker.start("timed")
    const leasedId = await worker.start("leased")
    await worker.claimOne("leased", 5_000)
    const heldId = await worker.start("held")
    await worker.fail(await worker.claimOne("held"), "later", true, 10_000)
    await worker.start("chained")
    await one.db.script(`select millrace.cancel('${timedId}')`)
    const request = {
      action: "cancel",
      filter: { definitionId: "timed" },
      dryRun: false,
      reason: "x",
      actor: "local",
    } as const
    const bulk = await createBulk(one, request)
    await beat(one)
    await advanceClock(one, 60_000)
    await beat(two)

    const lost = { code: "MR002" }
    await expect(fireTimers(one, termProof("timers", 1))).rejects.toMatchObject(lost)
    await expect(new LeaseSweeper(one).sweep(termProof("reaper", 1))).rejects.toMatchObject(lost)
    await expect(releaseJobs(one, termProof("releaser", 1))).rejects.toMatchObject(lost)
    await expect(startChains(one, termProof("chains", 1))).rejects.toMatchObject(lost)
    await expect(runBulk(one, termProof("bulk", 1))).rejects.toMatchObject(lost)
    await expect(runRequests(one, termProof("requests", 1))).rejects.toMatchObject(lost)
    expect(await countRows(one.db, "requests", "failures = 0")).toBe(1)
    expect((await worker.get(timedId)).currentStepIds).toEqual(["w"])
    expect(await jobRows(one.db, leasedId)).toMatchObject([{ status: "leased", lost_leases: 0 }])
    expect(await jobRows(one.db, heldId)).toMatchObject([{ status: "held" }])
    expect(await countRows(one.db, "chains", "child_id is not null or failures > 0")).toBe(0)
    expect(await getBulk(one, bulk.outcome.id)).toMatchObject({ done: 0, failed: 0 })

    await new LeaseSweeper(two).sweep(termProof("reaper", 2))
    await releaseJobs(two, termProof("releaser", 2))
    // Nobody was there for a minute: that the lease ended meanwhile is held against nobody.
    expect(await jobRows(one.db, leasedId)).toMatchObject([{ status: "ready", lost_leases: 0 }])
    expect(await jobRows(one.db, heldId)).toMatchObject([{ status: "ready" }])
    await fireTimers(two, termProof("timers", 2))
    expect((await worker.get(timedId)).status).toBe("COMPLETED")
    await startChains(two, termProof("chains", 2))
    expect(await countRows(one.db, "chains", "child_id is not null")).toBe(1)
  })
})

describe("two engines on one database", () => {
  const open = (): Promise<Core> => openTestCore(database.dsn)

  test("C-125, C-64, C-101: one leads, and when it stops the other takes its work over", async () => {
    const first = await open()
    const second = await open()
    const holders = async () =>
      (await one.db.script("select distinct holder from millrace.leaders where until > millrace.clock()")).map(
        (r) => r.holder,
      )
    expect(await holders()).toEqual([first.processId])
    await first.stop()
    const worker = drive(second.kernel)
    await uploadDefinition(second.kernel, {
      document: workflow("orphan", [service("orphan", "end"), end()]),
      actor: "local",
    })
    await worker.start("orphan")
    const job = await worker.claimOne("orphan", 5_000)
    await advanceClock(second.kernel, 5_001)
    // The second engine's reaper gives the job back by itself: the claim waits for it.
    expect(await worker.claimOne("orphan")).toMatchObject({ id: job.id, attempt: 2 })
    expect(await holders()).toEqual([second.processId])
    await second.stop()
    expect(await holders()).toEqual([])
  })
})
