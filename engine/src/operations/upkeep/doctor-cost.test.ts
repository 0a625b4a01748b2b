// What the doctor costs the database: each check works in proportion to the rows, whatever the statistics say.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Statement } from "../../db/statements.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { fillWithEverything, startWideInstance } from "../../test-support/grown-database.ts"
import { multiplyRows } from "../../test-support/multiply-rows.ts"
import { checkStatement } from "../../test-support/store-statements.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { ALL_KINDS, CHECKS, examine } from "./doctor.ts"

const COPIES = 40
const FACTOR = 4
/** Four times the rows are four times the work, and a little more where a sort or a second table comes in. */
const GROWTH_MAX = 1.5 * FACTOR
/** What a check may do whatever is there: read the queues and the gates. */
const FIXED_WORK = 100

interface Sized {
  readonly kernel: Kernel
  readonly drop: () => Promise<void>
}

async function open(fill: (kernel: Kernel) => Promise<void>): Promise<Sized> {
  const database = await createTestDatabase()
  const kernel = await createBareKernel(database.dsn)
  await fill(kernel)
  const drop = async () => {
    await kernel.db.close()
    await database.drop()
  }
  return { kernel, drop }
}

type Fill = (kernel: Kernel, size: number) => Promise<void>

const scenes: Record<string, Fill> = {
  "without statistics": async (kernel, size) => {
    await fillWithEverything(kernel)
    await kernel.db.script(multiplyRows(size))
  },
  "with the statistics of a small database": async (kernel, size) => {
    await fillWithEverything(kernel)
    await kernel.db.script("analyze")
    await kernel.db.script(multiplyRows(size))
  },
  "of one wide instance": startWideInstance,
}

describe.each(Object.entries(scenes))("RG19: the work grows with the rows, %s", (_, fill) => {
  let small: Sized
  let large: Sized

  beforeAll(async () => {
    small = await open((kernel) => fill(kernel, COPIES))
    large = await open((kernel) => fill(kernel, FACTOR * COPIES))
  })
  afterAll(() => Promise.all([small.drop(), large.drop()]))

  test("the large database is healthy", async () => {
    expect(await examine(large.kernel, { kinds: ALL_KINDS })).toEqual([])
  })

  // What objects there are has nothing to do with rows.
  for (const { name } of CHECKS.filter((check) => check.name !== "missingObjects")) {
    test(name, async () => {
      const [few, many] = [await touched(small.kernel, name), await touched(large.kernel, name)]
      expect(many).toBeLessThanOrEqual(GROWTH_MAX * few + FIXED_WORK)
    })
  }
})

interface PlanNode {
  readonly [field: string]: unknown
  readonly Plans?: readonly PlanNode[]
}

/** Rows that the parts of the plan gave on or threw away, all runs of a part counted. */
async function touched({ db }: Kernel, check: string): Promise<number> {
  const statement = checkStatement(check)
  const text = `explain (analyze, timing off, format json) ${statement.text}`
  const explained: Statement = { ...statement, name: `explain.${check}`, text }
  const [row] = await db.ponder(explained, { fromId: "", limit: 11 })
  const [{ Plan: plan }] = JSON.parse(row?.["QUERY PLAN"] as string)
  return touchedBy(plan)
}

function touchedBy(node: PlanNode): number {
  const counts = Object.entries(node).filter(([field]) => /^(Actual Rows|Rows Removed by .*)$/.test(field))
  const own = counts.reduce((sum, [, count]) => sum + (count as number), 0) * (node["Actual Loops"] as number)
  return own + (node.Plans ?? []).reduce((sum, part) => sum + touchedBy(part), 0)
}
