// Instances with large variables beside small ones: a batch reads a bounded amount, and every event is done all the same.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation
import { afterAll, beforeAll, expect, test } from "vitest"
import { bytesOf } from "../../model/instances/variable-sizes.ts"
import { lockInstances } from "../../store/instances/instances.ts"
import { service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { fireTimers } from "./run-timers.ts"

let engine: TestEngine
beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  await engine.upload(
    workflow("large", [
      step("WAIT", "pause", {
        nextStep: "w",
        boundaryEvents: [{ type: "TIMER", duration: "PT1S", interrupting: true, targetStepId: "grow" }],
      }),
      // Reads the variables, so that they must be loaded.
      step("TRANSFORMATION", "grow", { transformations: { n: "${#n + 1}" }, nextStep: "w" }),
      service("w"),
    ]),
  )
})
afterAll(() => engine.close())

const MIB = 1_048_576

/** Each has nearly all that an instance may have. */
async function startLarge(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await drive(engine.kernel).start("large", { n: 0 }))
  const text = "x".repeat(MIB)
  await engine.db.script(`update millrace.instances set variables = input || jsonb_build_object('text', '${text}'),
    state = (state::jsonb || '{"bytes": ${MIB + 20}}')::json where id in ('${ids.join("','")}')`)
  return ids
}

test("SEC-32: a batch reads as many variables as it may, and leaves the other instances out", async () => {
  const ids = (await startLarge(7)).sort()
  await engine.db.transaction(async (tx) => {
    const rows = await lockInstances(tx, ids)
    expect(rows.map((row) => row.is_left_out)).toEqual([false, false, false, true, true, true, true])
    expect(rows.map((row) => row.variables !== null)).toEqual([true, true, true, false, false, false, false])
    const read = rows.reduce((bytes, row) => bytes + (row.variables?.length ?? 0), 0)
    expect(read).toBeLessThan(4 * MIB)
  })
})

test("SEC-32: one instance is read however large it is", async () => {
  const [id = ""] = await startLarge(1)
  await engine.db.script(
    `update millrace.instances set state = (state::jsonb || '{"bytes": 9000000}')::json where id = '${id}'`,
  )
  await engine.db.transaction(async (tx) => {
    const [row] = await lockInstances(tx, [id])
    expect(row).toMatchObject({ is_left_out: false, variables: expect.any(String) })
  })
})

test("SEC-32: the timers of many large instances fire in one round, with those of small ones", async () => {
  const small: string[] = []
  for (let n = 0; n < 10; n++) small.push(await drive(engine.kernel).start("large", { n: 0 }))
  const ids = [...(await startLarge(9)), ...small]
  await engine.advanceClock(5_000)
  await fireTimers(engine.kernel, noTerm)
  for (const id of ids) {
    const { currentStepIds, variables } = await drive(engine.kernel).get(id)
    expect(currentStepIds).toEqual(["w"])
    expect(variables.n).toBe(1)
    expect(bytesOf(variables)).toBeGreaterThan(0)
  }
})
