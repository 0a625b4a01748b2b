// The rule of the gates stands in the model and in two statements: on the same depths and marks all three say the same.
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { turnGate, type Watermarks } from "../../model/flow/gate.ts"
import { setWatermarks } from "../../store/flow/watermarks.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { GATES } from "./change-watermarks.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

/** Low numbers: the depth is often exactly at one of the marks. */
const marks = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4 })).map(([low, above]) => ({
  low,
  high: low + above,
}))

const scene = fc.record({
  shut: fc.boolean(),
  /** Folded, and what lies above the fold. */
  live: fc.integer({ min: 0, max: 6 }),
  delta: fc.integer({ min: -2, max: 5 }),
  configured: marks,
  chosen: fc.option(marks, { nil: undefined }),
})
type GateScene = typeof scene extends fc.Arbitrary<infer S> ? S : never

const sqlOf = (value: number | undefined) => value ?? "null"

async function stage({ shut, live, delta, chosen }: GateScene): Promise<void> {
  await engine.db.script(`
    delete from millrace.depth_deltas;
    insert into millrace.depth_deltas (queue_id, lane, delta) values (1, 'critical', 1000);
    update millrace.depth_fold set after = (select max(id) from millrace.depth_deltas);
    insert into millrace.depth_deltas (queue_id, lane, delta) values (1, 'normal', ${delta}), (2, null, 1000);
    update millrace.gates set shut = ${shut} and name in ('normal', 'total'), high = ${sqlOf(chosen?.high)}, low = ${sqlOf(chosen?.low)},
      live = case when name in ('normal', 'total') then ${live} else 0 end`)
}

async function turnInSql({ high, low }: Watermarks): Promise<unknown> {
  const [row] = await engine.db.script(`select millrace.turn_gates(${high}, ${low}, ${high}, ${low}) as shut`)
  return row?.shut
}

const shutGates = async () =>
  (await engine.db.script("select name from millrace.gates where shut order by name")).map(({ name }) => name)

test("S21, D-12: an enqueue turns a gate at the very depth at which the fold would", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (given) => {
      await stage(given)
      const expected = turnGate(given.shut, given.live + given.delta, given.chosen ?? given.configured)
      const names = expected ? ["normal", "total"] : []
      expect(new Set((await turnInSql(given.configured)) as string[])).toEqual(new Set(names))
      expect(await shutGates()).toEqual(names)
    }),
    { numRuns: 150, seed: 21 },
  )
})

test("S21: new marks turn a gate at once, by the same rule", async () => {
  await fc.assert(
    fc.asyncProperty(scene, marks, async (given, next) => {
      fc.pre(given.chosen?.high !== next.high || given.chosen.low !== next.low)
      await stage(given)
      const asked = GATES.map((name) => ({ name, marks: next, inForce: next }))
      const turned = await engine.db.transaction((tx) => setWatermarks(tx, asked))
      const shut = turnGate(given.shut, given.live + given.delta, next)
      expect(new Map(turned.map((row) => [row.name, row.shut]))).toEqual(
        new Map([
          ["critical", false],
          ["high", false],
          ["normal", shut],
          ["total", shut],
        ]),
      )
    }),
    { numRuns: 150, seed: 22 },
  )
})
