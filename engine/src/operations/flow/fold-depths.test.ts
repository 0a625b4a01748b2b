// Depths and gates on a real database: what is counted is what is there, whoever commits late, dies or holds a row.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { listSymptoms } from "../../store/upkeep/doctor.ts"
import { createLogger } from "../../support/log.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../../test-support/database-clock.ts"
import { addingJobs, addJobs, endJobs, queueOf } from "../../test-support/live-jobs.ts"
import { noTerm } from "../../test-support/loops.ts"
import { eventually } from "../../test-support/mills.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { takePulse, termProof } from "../upkeep/take-pulse.ts"
import { DepthFolder } from "./fold-depths.ts"
import { gatesOf } from "./gates.ts"
import { readDepths } from "./read-depths.ts"

let database: { dsn: string; drop(): Promise<void> }
let kernel: Kernel
/** One more process on the same database. */
let other: Kernel
let folder: DepthFolder
let lines: Record<string, unknown>[]
let queues: Record<"critical" | "high" | "normal" | "steps", number>

beforeAll(async () => {
  database = await createTestDatabase()
  const log = createLogger({
    level: "info",
    destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
  })
  kernel = { ...(await createBareKernel(database.dsn)), log }
  other = await createBareKernel(database.dsn)
  for (const each of [kernel, other]) await stopClock(each)
  queues = {
    critical: await queueOf(kernel, "critical"),
    high: await queueOf(kernel, "high"),
    normal: await queueOf(kernel, "normal"),
    steps: await queueOf(kernel, "normal", "flow"),
  }
})
afterAll(async () => {
  await kernel.db.close()
  await other.db.close()
  await database.drop()
})
beforeEach(async () => {
  lines = []
  await kernel.db.script(`truncate millrace.jobs, millrace.depth_deltas, millrace.depths;
    update millrace.depth_fold set after = 0;
    update millrace.gates set live = 0, shut = false, high = null, low = null`)
  folder = new DepthFolder(kernel)
  await fold()
  lines = []
})

const fold = () => folder.fold(noTerm)
const marks = (name: string, high: number, low: number) =>
  kernel.db.script(`update millrace.gates set high = ${high}, low = ${low} where name = '${name}'`)
const after = async () => (await kernel.db.script("select after from millrace.depth_fold"))[0]?.after as number
const lastDelta = async () =>
  (await kernel.db.script("select last_value as n from millrace.depth_deltas_id_seq"))[0]?.n as number

async function shutGates(): Promise<string[]> {
  const rows = await kernel.db.script("select name from millrace.gates where shut order by name")
  return rows.map((row) => row.name as string)
}

/** Where reading begins afterwards. */
async function addAndFold(): Promise<number> {
  await addJobs(kernel.db, queues.high, 1)
  await fold()
  return after()
}

/** Works while a transaction is open, which then commits. */
async function holding<T>(opening: string, work: () => Promise<T>): Promise<T> {
  const connection = await kernel.db.dedicated()
  try {
    await connection.query(opening)
    return await work()
  } finally {
    await connection.query("commit")
    connection.release()
  }
}

/** What the counters say, and what is there. */
async function counted() {
  const { priorities, total, queues: byQueue } = await readDepths(kernel)
  const said = {
    high: priorities.high.depth,
    normal: priorities.normal.depth,
    total: total.depth,
    byQueue: [...byQueue].sort(),
  }
  const rows = await kernel.db.script("select queue_id, count(*) as n from millrace.jobs group by queue_id")
  const jobs = new Map(rows.map((row) => [row.queue_id as number, row.n as number]))
  const of = (queue: number) => jobs.get(queue) ?? 0
  const total_ = of(queues.critical) + of(queues.high) + of(queues.normal)
  return { said, true: { high: of(queues.high), normal: of(queues.normal), total: total_, byQueue: [...jobs].sort() } }
}

async function expectTruth(): Promise<void> {
  const depths = await counted()
  expect(depths.said).toEqual(depths.true)
  expect(await listSymptoms(kernel.db, "depthCounters", "", 10)).toEqual([])
}

describe("the depth", () => {
  test("D-12: deltas and folded numbers add up to what is live, before a fold and after", async () => {
    await addJobs(kernel.db, queues.high, 7)
    await addJobs(kernel.db, queues.normal, 3)
    await addJobs(kernel.db, queues.steps, 5)
    await expectTruth()
    await fold()
    expect(await countRows(kernel.db, "depth_deltas")).toBe(0)
    await endJobs(kernel.db, queues.high, 4)
    await expectTruth()
    await fold()
    await expectTruth()
  })

  test("D-12: steps of workflows count in their queue, and in no priority", async () => {
    await addJobs(kernel.db, queues.steps, 5)
    await fold()
    const { priorities, total, queues: byQueue } = await readDepths(kernel)
    expect([priorities.normal.depth, total.depth, [...byQueue]]).toEqual([0, 0, [[queues.steps, 5]]])
  })

  test("D-X1: 12,000 jobs ever do not shut a gate of 10,000: what has ended is not deep", async () => {
    for (let round = 0; round < 24; round++) {
      await addJobs(kernel.db, queues.normal, 500)
      await fold()
      await endJobs(kernel.db, queues.normal, 500)
      await fold()
    }
    expect((await readDepths(kernel)).priorities.normal).toEqual({ depth: 0, high: 10_000, low: 2_000, shut: false })
    expect(lines).toEqual([])
  })

  test("D-12: every replica reads the same, folded by another or not", async () => {
    await addJobs(kernel.db, queues.high, 9)
    expect(await readDepths(other)).toEqual(await readDepths(kernel))
    await fold()
    await addJobs(other.db, queues.high, 1)
    const depths = await readDepths(other)
    expect(depths).toEqual(await readDepths(kernel))
    expect(depths.priorities.high.depth).toBe(10)
  })

  test("a fold is bounded, and says that there is more", async () => {
    await kernel.db.script(`insert into millrace.depth_deltas (queue_id, lane, delta)
      select ${queues.high}, 'high', 1 from generate_series(1, 10003)`)
    expect(await fold()).toBe(true)
    expect(await countRows(kernel.db, "depth_deltas")).toBe(3)
    expect(await fold()).toBe(false)
    expect((await readDepths(kernel)).priorities.high.depth).toBe(10_003)
  })

  test("counters that are wrong are set right by a new leader; right ones are left alone", async () => {
    await addJobs(kernel.db, queues.high, 2)
    await kernel.db.script(
      `insert into millrace.depths values (${queues.steps}, 40); update millrace.gates set live = -3 where name = 'total'`,
    )
    const wrong = await listSymptoms(kernel.db, "depthCounters", "", 10)
    expect(wrong.map((row) => row.instance_id)).toEqual(["gate of total", "queue of normal work"])
    folder = new DepthFolder(kernel)
    await fold()
    await expectTruth()
    expect(lines).toMatchObject([{ level: "warn", counters: 2 }])
    await new DepthFolder(kernel).fold(noTerm)
    await expectTruth()
    expect(lines).toHaveLength(1)
  })
})

describe("the gates", () => {
  test("S21, F60: a square wave turns a gate twice in a cycle, and the depth is the true count all along", async () => {
    await marks("normal", 100, 20)
    const wave = [...Array(12).fill(10), ...Array(12).fill(-10)]
    let depth = 0
    for (let cycle = 0; cycle < 3; cycle++) {
      for (const step of wave) {
        await (step > 0 ? addJobs(kernel.db, queues.normal, step) : endJobs(kernel.db, queues.normal, -step))
        depth += step
        await fold()
        await expectTruth()
        expect((await readDepths(kernel)).priorities.normal.depth).toBe(depth)
      }
    }
    expect(lines.map(({ gate, depth }) => [gate, depth])).toEqual(
      Array(3)
        .fill([
          ["normal", 100],
          ["normal", 10],
        ])
        .flat(),
    )
  })

  test("F60: a depth that wavers around one mark does not turn it again", async () => {
    await marks("normal", 100, 20)
    await addJobs(kernel.db, queues.normal, 99)
    for (let n = 0; n < 5; n++) {
      await addJobs(kernel.db, queues.normal, 1)
      await fold()
      await endJobs(kernel.db, queues.normal, 1)
      await fold()
    }
    expect(await shutGates()).toEqual(["normal"])
    await endJobs(kernel.db, queues.normal, 79)
    for (let n = 0; n < 5; n++) {
      await fold()
      expect(await shutGates()).toEqual(n === 0 ? ["normal"] : [])
      await endJobs(kernel.db, queues.normal, 1)
      await fold()
      await addJobs(kernel.db, queues.normal, 1)
    }
    expect(lines).toHaveLength(2)
  })

  test("D-X12: a priority that is nearly empty does not open the gate of one that is full", async () => {
    await marks("high", 10, 2)
    await marks("normal", 10, 2)
    await addJobs(kernel.db, queues.high, 10)
    await fold()
    expect(await shutGates()).toEqual(["high"])
    await addJobs(kernel.db, queues.normal, 1)
    await fold()
    await endJobs(kernel.db, queues.normal, 1)
    await fold()
    expect(await shutGates()).toEqual(["high"])
    expect([gatesOf(kernel).isShut("high"), gatesOf(kernel).isShut("normal")]).toEqual([true, false])
  })

  test("D-12: the total has a gate of its own, which opens by its own marks", async () => {
    await marks("total", 10, 3)
    for (const priority of [queues.critical, queues.high, queues.normal]) await addJobs(kernel.db, priority, 4)
    await fold()
    expect(await shutGates()).toEqual(["total"])
    expect(gatesOf(kernel).isShut("critical")).toBe(true)
    for (const priority of [queues.critical, queues.high]) await endJobs(kernel.db, priority, 4)
    await fold()
    expect(await shutGates()).toEqual(["total"])
    await endJobs(kernel.db, queues.normal, 2)
    await fold()
    expect(await shutGates()).toEqual([])
    expect(gatesOf(kernel).isShut("critical")).toBe(false)
  })

  test("D-12: every process hears of a shut gate with its next pulse, and of an open one", async () => {
    await marks("normal", 2, 1)
    await addJobs(kernel.db, queues.normal, 2)
    await fold()
    const { due } = await takePulse(other, "other", 0)
    expect([gatesOf(other).isShut("normal"), due.depthsWait]).toEqual([true, true])
    await endJobs(kernel.db, queues.normal, 2)
    await fold()
    await takePulse(other, "other", 0)
    expect(gatesOf(other).isShut("normal")).toBe(false)
  })

  test("a gate that an enqueue has turned is told of by the fold that sees it first", async () => {
    await kernel.db.script("update millrace.gates set shut = true where name = 'high'")
    await marks("high", 10, 2)
    await addJobs(kernel.db, queues.high, 5)
    await fold()
    await fold()
    expect(lines).toMatchObject([{ level: "warn", gate: "high", depth: 5, high: 10, low: 2 }])
    await endJobs(kernel.db, queues.high, 4)
    await fold()
    expect(lines).toMatchObject([{ level: "warn" }, { level: "info", gate: "high", depth: 1 }])
  })

  test("new watermarks count at the next fold, though no job has come or gone", async () => {
    await marks("normal", 10, 2)
    await addJobs(kernel.db, queues.normal, 10)
    await fold()
    await marks("normal", 100, 20)
    await fold()
    expect(await shutGates()).toEqual([])
  })
})

describe("the fold", () => {
  test("a transaction that commits late is not skipped, and the mark waits for it", async () => {
    const lowest = await holding(`begin; ${addingJobs(queues.high, 1)}`, async () => {
      const lowest = await lastDelta()
      for (let n = 0; n < 4; n++) await addAndFold()
      expect(await after()).toBeLessThan(lowest)
      return lowest
    })
    expect((await readDepths(kernel)).priorities.high.depth).toBe(5)
    await eventually(async () => (await addAndFold()) > lowest).toBe(true)
    await expectTruth()
  })

  test("a transaction that stays open for long holds nobody up, and counts within seconds of its commit", async () => {
    await holding(`begin; ${addingJobs(queues.high, 3)}`, async () => {
      const lowest = await lastDelta()
      await addAndFold()
      await advanceClock(kernel, 10_000)
      await addAndFold()
      expect(await addAndFold()).toBeGreaterThan(lowest)
      expect(folder.isOwed).toBe(false)
    })
    await advanceClock(kernel, 9_000)
    expect(folder.isOwed).toBe(false)
    await advanceClock(kernel, 1_000)
    expect(folder.isOwed).toBe(true)
    await fold()
    expect(folder.isOwed).toBe(false)
    await expectTruth()
  })

  test("F43: under a snapshot that pins the vacuum horizon the mark moves on, and depths are read above it", async () => {
    await holding("begin isolation level repeatable read; select from millrace.jobs", async () => {
      const from = await lastDelta()
      await eventually(async () => (await addAndFold()) > from).toBe(true)
    })
    await expectTruth()
  })

  test("nobody is waited for: while a stranger holds a gate nothing is folded, and nothing is lost", async () => {
    await holding("begin; update millrace.gates set shut = false where name = 'high'", async () => {
      await addJobs(kernel.db, queues.high, 3)
      await addJobs(kernel.db, queues.steps, 2)
      expect(await fold()).toBe(false)
      expect(await countRows(kernel.db, "depth_deltas")).toBe(2)
      await expectTruth()
    })
    await fold()
    expect(await countRows(kernel.db, "depth_deltas")).toBe(0)
    await expectTruth()
  })

  test("F20: an old leader folds nothing", async () => {
    await kernel.db.script("delete from millrace.leaders")
    await takePulse(other, "leader", 0)
    await addJobs(kernel.db, queues.high, 1)
    await expect(folder.fold(termProof("meter", 99))).rejects.toMatchObject({ code: "MR002" })
    expect(await countRows(kernel.db, "depth_deltas")).toBe(1)
    await folder.fold(termProof("meter", 1))
    expect(await countRows(kernel.db, "depth_deltas")).toBe(0)
  })

  test("the pulse says when there is something to fold, and that a quiet engine has nothing", async () => {
    const waits = async () => (await takePulse(other, "leader", 0)).due.depthsWait
    expect(await waits()).toBe(false)
    await addJobs(kernel.db, queues.steps, 1)
    expect(await waits()).toBe(true)
    await fold()
    expect(await waits()).toBe(false)
  })
})
