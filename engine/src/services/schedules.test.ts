// Schedules fired by engines that run: several on one database, and one that takes over.
import { afterAll, beforeAll, expect, test } from "vitest"
import { loadConfig } from "../config.ts"
import { type Core, openCore } from "../core.ts"
import { uploadDefinition } from "../operations/definitions/upload-definition.ts"
import type { Context } from "../operations/kernel/context.ts"
import { getSchedule, listScheduleRuns } from "../operations/schedules/read-schedules.ts"
import { putSchedule } from "../operations/schedules/schedules.ts"
import { createLogger } from "../support/log.ts"
import { advanceClock } from "../test-support/bare-context.ts"
import { end, workflow } from "../test-support/definitions.ts"
import { countRows } from "../test-support/rows.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"

let database: { dsn: string; drop(): Promise<void> }
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const open = (): Promise<Core> =>
  openCore(loadConfig({ env: { WE_POSTGRES_DSN: database.dsn, DB_MAX_CONNS: "4" } }), createLogger({ level: "silent" }))

/** Moves time to the next tick, and waits until somebody has fired it. */
async function tick(ctx: Context, id: string): Promise<void> {
  const { nextAt = "" } = await getSchedule(ctx, id)
  await advanceClock(ctx, Date.parse(nextAt) - ctx.clock.nowMs())
  const fired = async () => (await listScheduleRuns(ctx, id, { pageSize: 1 })).items[0]?.dueAt
  await expect.poll(fired).toBe(nextAt)
}

test("B-X6, B-01: of three engines one fires each tick, and another goes on when it stops", async () => {
  const engines = [await open(), await open(), await open()]
  const last = engines[2] as Core
  await uploadDefinition(last.ctx, { document: workflow("now", [end()]), actor: "local" })
  await putSchedule(last.ctx, { id: "m", cron: "* * * * *", definitionId: "now" }, { actor: "local" })
  let ticks = 0
  for (const engine of engines) {
    for (let n = 0; n < 2; n++, ticks++) await tick(last.ctx, "m")
    if (engine !== last) await engine.stop()
  }
  const { items } = await listScheduleRuns(last.ctx, "m", { pageSize: 100 })
  expect(items.map(({ outcome }) => outcome)).toEqual(Array(ticks).fill("started"))
  expect(await countRows(last.ctx.db, "finished_instances")).toBe(ticks)
  await last.stop()
})
