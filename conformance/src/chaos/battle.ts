// Kills by the schedule, while the load goes on, and asks the doctor now and then.
import { setTimeout as sleep } from "node:timers/promises"
import type { Database } from "../../../engine/dist/db/database.js"
import type { Slot } from "./nodes.ts"
import type { ChaosOptions } from "./options.ts"
import { Progress } from "./progress.ts"
import { seeded } from "./random.ts"
import { type Kill, killCount, scheduleKills } from "./schedule.ts"
import type { Server } from "./server.ts"
import { diagnose } from "./verify.ts"

const CHECK_EVERY_KILLS = 10

interface Battle {
  readonly options: ChaosOptions
  readonly slots: readonly Slot[]
  readonly server: Server
  readonly db: Database
  readonly violations: string[]
}

/** How many were killed. */
export async function killAll({ options, slots, server, db, violations }: Battle): Promise<number> {
  const { kills, minutes, withPostgres, seed } = options
  const progress = new Progress(options)
  const endAt = performance.now() + minutes * 60_000
  let done = 0
  let strikes = 0
  for (const kill of scheduleKills(seeded(seed), { kills, slots: slots.length, withPostgres })) {
    if (performance.now() >= endAt) break
    progress.show(done, await liveCount(db))
    await strike(kill, slots, server)
    done += killCount(kill)
    if (strikes++ % CHECK_EVERY_KILLS === 0) violations.push(...(await diagnose(db, ["state", "audit"])))
  }
  progress.end()
  return done
}

async function strike({ victims, whenReady, afterMs }: Kill, slots: readonly Slot[], server: Server): Promise<void> {
  const hit = victims === "postgres" ? [...slots] : victims.flatMap((slot) => slots[slot] ?? [])
  if (whenReady) await Promise.all(hit.map((slot) => slot.ready))
  await sleep(afterMs)
  if (victims === "postgres") return server.cut()
  await Promise.all(hit.map((slot) => slot.kill()))
  for (const slot of hit) slot.start()
}

async function liveCount(db: Database): Promise<string> {
  const [row] = await db.script(`select (select count(*) from millrace.instances) as live,
    (select count(*) from millrace.finished_instances) as ended, (select count(*) from millrace.jobs where execution = 0) as jobs`)
  return `${row?.ended} instances ended, ${row?.live} and ${row?.jobs} jobs under way`
}
