// One run: load on, kill by the schedule, let it settle, verify.
import { setTimeout as sleep } from "node:timers/promises"
import { loadConfig } from "../../../engine/dist/config.js"
import { openCore } from "../../../engine/dist/core.js"
import type { Database } from "../../../engine/dist/db/database.js"
import { uploadDefinition } from "../../../engine/dist/operations/definitions/upload-definition.js"
import { setDownstream } from "../../../engine/dist/operations/flow/change-downstreams.js"
import { setWatermarks } from "../../../engine/dist/operations/flow/change-watermarks.js"
import { createLogger } from "../../../engine/dist/support/log.js"
import { type Arena, inArena } from "./arena.ts"
import { type Kills, killAll } from "./battle.ts"
import { EFFECTS_TABLE } from "./effects.ts"
import { DOWNSTREAM, TOTAL_WATERMARKS, WATERMARKS } from "./jobs/order.ts"
import { LimitWatch } from "./jobs/watch-limits.ts"
import { Journal, readJournals } from "./journal.ts"
import { Broker } from "./kafka/broker.ts"
import { Campaign } from "./kafka/campaign.ts"
import { type DispatchFacts, judgeDispatch } from "./kafka/judge-dispatch.ts"
import { type Role, Slot } from "./nodes.ts"
import type { ChaosOptions } from "./options.ts"
import { settle } from "./settle.ts"
import { stopAll } from "./stop-all.ts"
import { type Facts, verify } from "./verify.ts"
import { invoice, order } from "./workload.ts"

export interface ChaosResult {
  readonly kills: Kills
  readonly seconds: number
  /** How often it was counted what is leased. */
  readonly samples: number
  /** From the last kill until nothing was open any more. */
  readonly settledInSeconds: number
  readonly facts: Facts
  /** Only for a run with Kafka. */
  readonly dispatch: DispatchFacts | undefined
  readonly violations: readonly string[]
  readonly folder: string
}

export const runChaos = (options: ChaosOptions): Promise<ChaosResult> =>
  inArena(options.folder, (arena) => fight(options, arena))

async function fight(options: ChaosOptions, arena: Arena): Promise<Omit<ChaosResult, "violations" | "folder">> {
  const startedAt = performance.now()
  const { folder, journals, server, dsn, db, violations } = arena
  const broker = options.withKafka ? new Broker(folder) : undefined
  await broker?.start()
  const slots = openSlots(options, { dsn, folder, seed: options.seed, ...brokersOf(broker) }, violations)
  const watch = new LimitWatch(dsn, new Journal(journals, "watch"))
  try {
    await prepare(dsn, db)
    for (const slot of slots) slot.start()
    await untilAtWork(db)
    const kafka = broker && { broker, campaign: new Campaign({ db, slots, violations }) }
    const kills = await killAll({ options, slots, server, db, violations, kafka })
    const settledAt = performance.now()
    await settle(db, slots, broker)
    const settledInSeconds = (performance.now() - settledAt) / 1_000
    const samples = await watch.stop()
    violations.push(...(await stopAll(slots)))
    const { facts, violations: found } = await verify(db, readJournals(journals))
    const dispatched = kafka && (await judgeDispatch(db, kafka.broker, kafka.campaign.switches))
    violations.push(...found, ...(dispatched?.violations ?? []))
    const seconds = (performance.now() - startedAt) / 1_000
    return { kills, seconds, samples, settledInSeconds, facts, dispatch: dispatched?.facts }
  } finally {
    await Promise.all([watch.stop(), ...slots.map((slot) => slot.kill())])
    await broker?.stop()
  }
}

const brokersOf = (broker: Broker | undefined) => (broker ? { brokers: broker.address } : {})

const KAFKA_WORKERS = 2

function openSlots(
  options: ChaosOptions,
  base: { dsn: string; folder: string; seed: number; brokers?: string },
  violations: string[],
): Slot[] {
  const roles: Role[] = Array<Role>(options.nodes).fill("engine")
  if (options.withRest) roles.push("server", "worker")
  if (options.withKafka) roles.push(...Array<Role>(KAFKA_WORKERS).fill("kafka-worker"))
  const circumstances = {
    onDeath: (what: string) => void violations.push(what),
    othersMayBeAway: options.withPostgres,
  }
  // Below those that the system gives to outgoing connections.
  const port = 12_000 + (process.pid % 18_000)
  return roles.map((role, slot) => new Slot({ ...base, role, slot, port }, circumstances))
}

/** Tables, definitions and limits are there before the first kill; what a crash in the middle of a migration does is proved elsewhere. */
async function prepare(dsn: string, db: Database): Promise<void> {
  const env = { WE_POSTGRES_DSN: dsn, DB_MAX_CONNS: "4" }
  const core = await openCore(loadConfig({ env }), createLogger({ level: "error" }))
  await db.script(EFFECTS_TABLE)
  for (const document of [invoice, order]) await uploadDefinition(core.kernel, { document, actor: "chaos" })
  const marks = { critical: WATERMARKS, high: WATERMARKS, normal: WATERMARKS, total: TOTAL_WATERMARKS }
  await setWatermarks(core.kernel, { actor: "chaos" }, marks)
  await setDownstream(core.kernel, { actor: "chaos" }, DOWNSTREAM)
  await core.stop()
}

const AT_WORK = 30

/** Waits until enough work has ended that the first kill meets a busy system, however slow the machine and unlucky the seed. */
async function untilAtWork(db: Database): Promise<void> {
  const ended = `select (select count(*) from millrace.finished_instances where status = 'COMPLETED') as instances,
    (select count(*) from millrace.history where execution = 0 and status = 'COMPLETED') as jobs`
  for (;;) {
    const [row] = await db.script(ended)
    if (Math.min(row?.instances as number, row?.jobs as number) >= AT_WORK) return
    await sleep(100)
  }
}
