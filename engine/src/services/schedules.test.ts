// Schedules fired by engines that run: several on one database, and one that takes over.

import { afterAll, beforeAll, expect, test } from "vitest"
import type { Core } from "../core.ts"
import { EVERYTHING } from "../model/people/reach.ts"
import { uploadDefinition } from "../operations/definitions/upload-definition.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { getSchedule, listScheduleRuns } from "../operations/schedules/read-schedules.ts"
import { putSchedule } from "../operations/schedules/schedules.ts"
import { advanceClock, stopClock } from "../test-support/database-clock.ts"
import { end, workflow } from "../test-support/definitions.ts"
import { countRows } from "../test-support/rows.ts"
import { openTestCore } from "../test-support/test-core.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"

let database: { dsn: string; drop(): Promise<void> }
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const open = (): Promise<Core> => openTestCore(database.dsn)

/** Moves time to the next tick, and waits until somebody has fired it. */
async function tick(kernel: Kernel, id: string): Promise<void> {
  const { nextAt = "" } = await getSchedule(kernel, id)
  await advanceClock(kernel, Date.parse(nextAt) - kernel.clock.nowMs())
  const fired = async () => (await listScheduleRuns(kernel, id, { pageSize: 1 })).items[0]?.dueAt
  await expect.poll(fired).toBe(nextAt)
}

test("B-X6, B-01: of three engines one fires each tick, and another goes on when it stops", async () => {
  const engines = [await open(), await open(), await open()]
  const last = engines[2] as Core
  // No minute begins while the machine is at work.
  await stopClock(last.kernel)
  await uploadDefinition(last.kernel, { document: workflow("now", [end()]), actor: "local" })
  await putSchedule(
    last.kernel,
    { id: "m", cron: "* * * * *", definitionId: "now" },
    { actor: "local", reach: EVERYTHING },
  )
  let ticks = 0
  for (const engine of engines) {
    for (let n = 0; n < 2; n++, ticks++) await tick(last.kernel, "m")
    if (engine !== last) await engine.stop()
  }
  const { items } = await listScheduleRuns(last.kernel, "m", { pageSize: 100 })
  expect(items.map(({ outcome }) => outcome)).toEqual(Array(ticks).fill("started"))
  expect(await countRows(last.kernel.db, "finished_instances")).toBe(ticks)
  await last.stop()
})
