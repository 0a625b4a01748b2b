// A run is worked to its end also where the engine's own loops do a part of it meanwhile.
import { expect, test } from "vitest"
import { workflow } from "../index.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { driveRun } from "./drive-run.ts"
import { openTestEngine } from "./test-engine.ts"

test("what a loop of the engine makes ready just after the work was looked for is found at the next turn", async () => {
  const { dsn: database, drop } = await createTestDatabase({ empty: true })
  const engine = await openTestEngine({ database })
  const flow = workflow("late", { steps: [async function only() {}] })
  const { id } = await engine.mill.start(flow, {})
  let looks = 0
  const work = async () => (looks++ === 0 ? { processed: 0 } : engine.mill.drain([flow], { workerId: "w" }))
  expect(await driveRun(engine, id, work, {})).toMatchObject({ status: "COMPLETED" })
  await engine.close()
  await drop()
})
