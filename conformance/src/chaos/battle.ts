// Kills by the schedule, while the load goes on, and asks the doctor now and then.
import { setTimeout as sleep } from "node:timers/promises"
import type { Database } from "../../../engine/dist/db/database.js"
import type { Broker } from "./kafka/broker.ts"
import type { Campaign } from "./kafka/campaign.ts"
import type { Slot } from "./nodes.ts"
import type { ChaosOptions } from "./options.ts"
import { Progress } from "./progress.ts"
import { seeded } from "./random.ts"
import { type Kill, killCount, scheduleKills } from "./schedule.ts"
import type { Server } from "./server.ts"
import { diagnose } from "./verify.ts"

const CHECK_EVERY_KILLS = 10

/** How often each kind of victim was killed. */
export type Kills = ReadonlyMap<string, number>

/** A load that the kills keep step with, and that tells for itself how far it is. */
interface Load {
  untilShare(share: number): Promise<void>
  tell(): Promise<string>
  readonly zombies: number
}

export interface Battle {
  readonly options: ChaosOptions
  readonly slots: readonly Slot[]
  readonly server: Server
  readonly db: Database
  readonly violations: string[]
  /** Only for a run with Kafka. */
  readonly load?: Load
  readonly kafka: { readonly broker: Broker; readonly campaign: Campaign } | undefined
}

export async function killAll(battle: Battle): Promise<Kills> {
  const { options, slots, db, violations, load, kafka } = battle
  const progress = new Progress(options)
  const kills = new Map<string, number>()
  let [done, strikes] = [0, 0]
  const kafkaWorkers = slots.filter(isKafkaWorker).length
  const limits = { ...options, slots: slots.length, kafkaWorkers, zombies: load?.zombies ?? 0 }
  for (const kill of scheduleKills(seeded(options.seed), limits)) {
    if (progress.share(done) >= 1) break
    await kafka?.campaign.advance(progress.share(done))
    await load?.untilShare(progress.share(done))
    progress.show(done, load ? await load.tell() : `${kafka ? `${kafka.campaign.mode}, ` : ""}${await liveCount(db)}`)
    for (const name of await strike(kill, battle)) kills.set(name, (kills.get(name) ?? 0) + 1)
    done += killCount(kill)
    if (strikes++ % CHECK_EVERY_KILLS === 0) violations.push(...(await diagnose(db, ["state", "audit"])))
  }
  await kafka?.broker.ready
  await kafka?.campaign.finish()
  progress.end()
  return kills
}

/** What was killed. */
async function strike(kill: Kill, battle: Battle): Promise<string[]> {
  const { slots, server, kafka } = battle
  const { victims, whenReady, afterMs, frozenMs } = kill
  const hit = typeof victims === "string" ? [...slots] : victims.flatMap((slot) => slots[slot] ?? [])
  if (whenReady) await Promise.all(hit.map((slot) => slot.ready))
  if (whenReady) await kafka?.campaign.untilFlowing()
  await sleep(afterMs)
  if (typeof victims === "string" || hit.some(isKafkaWorker)) kafka?.campaign.broken()
  if (typeof victims === "string") {
    await (victims === "postgres" ? server.cut() : kafka?.broker.kill())
    return [victims]
  }
  if (frozenMs !== undefined) return hit.filter((slot) => slot.freeze(frozenMs)).map(({ role }) => `frozen ${role}`)
  await Promise.all(hit.map((slot) => slot.kill()))
  for (const slot of hit) slot.start()
  return hit.map(({ role }) => role)
}

const isKafkaWorker = ({ role }: Slot): boolean => role === "kafka-worker"

async function liveCount(db: Database): Promise<string> {
  const [row] = await db.script(`select (select count(*) from millrace.instances) as live,
    (select count(*) from millrace.finished_instances) as ended, (select count(*) from millrace.live_jobs where execution = 0) as jobs`)
  return `${row?.ended} instances ended, ${row?.live} and ${row?.jobs} jobs under way`
}
