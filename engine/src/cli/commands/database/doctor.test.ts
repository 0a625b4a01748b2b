// The doctor's command on a real database: healthy, and with a wound.
import { afterAll, beforeAll, expect, test } from "vitest"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops } from "../../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { runDoctor } from "./doctor.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

async function examined(): Promise<{ well: boolean; text: string }> {
  const lines: string[] = []
  const well = await runDoctor(engine.db, (line) => lines.push(line))
  return { well, text: lines.join("\n") }
}

test("says that all is well, or what is wrong with which instance and what to do", async () => {
  await engine.upload(workflow("sick", [service("a", "end"), end()]))
  const id = await drive(engine.kernel).start("sick")
  expect(await examined()).toMatchObject({ well: true, text: expect.stringMatching(/^All is well: \d+ checks/) })
  await engine.db.script(`delete from millrace.jobs where instance_id = '${id}'`)
  const { well, text } = await examined()
  expect(well).toBe(false)
  expect(text).toContain("stepsWithoutWork")
  expect(text).toContain(id)
  expect(text).toContain("What to do:")
})
