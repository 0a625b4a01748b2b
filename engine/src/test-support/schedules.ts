// Drives schedules as time would: to the next tick, and fired by hand, for nobody leads their loop.
import { EVERYTHING } from "../model/people/reach.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { fireSchedules } from "../operations/schedules/fire-schedules.ts"
import { getSchedule, listScheduleRuns, type ScheduleRunView } from "../operations/schedules/read-schedules.ts"
import { putSchedule } from "../operations/schedules/schedules.ts"
import type { ScheduleSpec } from "../operations/schedules/write-schedule.ts"
import { advanceClock } from "./database-clock.ts"
import { end, service, workflow } from "./definitions.ts"
import { drive } from "./drive.ts"
import { holdLoops, noTerm } from "./loops.ts"
import { createTestEngine, type TestEngine } from "./test-engine.ts"

export const MINUTE_MS = 60_000

export type Schedules = ReturnType<typeof driveSchedules>

/** An engine that fires nothing by itself, with a definition `sweep` of one step to start. */
export async function createScheduleEngine(): Promise<TestEngine> {
  const engine = await createTestEngine()
  await holdLoops(engine.kernel)
  await engine.upload(workflow("sweep", [service("sweep", "end"), end()]))
  return engine
}

export function driveSchedules(kernel: Kernel) {
  const worker = drive(kernel)
  const runs = async (id: string): Promise<readonly ScheduleRunView[]> =>
    [...(await listScheduleRuns(kernel, id, { pageSize: 2_000 })).items].reverse()
  const fire = (): Promise<number> => fireSchedules(kernel, noTerm)

  /** To its next tick, and a little beyond. Returns the tick. */
  async function toNextTick(id: string, beyondMs = 5): Promise<number> {
    const { nextAt } = await getSchedule(kernel, id)
    const dueAt = Date.parse(nextAt ?? "")
    await advanceClock(kernel, dueAt - kernel.clock.nowMs() + beyondMs)
    return dueAt
  }

  return {
    minutely: (id: string, more: Partial<ScheduleSpec> = {}) =>
      putSchedule(
        kernel,
        { id, cron: "* * * * *", definitionId: "sweep", ...more },
        { actor: "ada", reach: EVERYTHING },
      ),
    fire,
    /** Oldest first. */
    runs,
    outcomes: async (id: string) => (await runs(id)).map(({ outcome }) => outcome),
    toNextTick,
    async tick(id: string): Promise<void> {
      await toNextTick(id)
      await fire()
    },
    /** The work of the last run ends. */
    endWork: async () => worker.complete(await worker.claimOne("sweep")),
    /** Nothing is left of other tests. */
    async clear(): Promise<void> {
      await kernel.db.script("delete from millrace.schedules; delete from millrace.schedule_runs")
      for (const job of await worker.claim(["sweep"], 100)) await worker.complete(job)
    },
  }
}
