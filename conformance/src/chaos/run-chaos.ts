// One run: load on, kill by the schedule, let it settle, verify.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { loadConfig } from "../../../engine/dist/config.js"
import { openCore } from "../../../engine/dist/core.js"
import { Database } from "../../../engine/dist/db/database.js"
import { uploadDefinition } from "../../../engine/dist/operations/upload-definition.js"
import { createLogger } from "../../../engine/dist/support/log.js"
import { EFFECTS_TABLE } from "./effects.ts"
import { readJournals } from "./journal.ts"
import { type Role, Slot } from "./nodes.ts"
import type { ChaosOptions } from "./options.ts"
import { Progress } from "./progress.ts"
import { seeded } from "./random.ts"
import { type Kill, scheduleKills } from "./schedule.ts"
import { Server } from "./server.ts"
import { diagnose, type Facts, verify } from "./verify.ts"
import { invoice, order } from "./workload.ts"

export interface ChaosResult {
  readonly kills: number
  readonly seconds: number
  /** From the last kill until nothing was open any more. */
  readonly settledInSeconds: number
  readonly facts: Facts
  readonly violations: readonly string[]
  readonly folder: string
}

/** L1: when nothing more has ended for so long, what is left is stuck. */
const STUCK_AFTER_MS = 60_000
const CHECK_EVERY_KILLS = 10

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const startedAt = performance.now()
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "millrace-chaos-"))
  mkdirSync(join(folder, "journals"), { recursive: true })
  const server = new Server(folder)
  const dsn = await server.start()
  const db = new Database({ dsn, schema: "millrace", maxConnections: 4, applicationName: "chaos-verifier" })
  const violations: string[] = []
  const slots = openSlots(options, { dsn, folder, seed: options.seed }, violations)
  try {
    await prepare(dsn, db)
    for (const slot of slots) slot.start()
    await killAll({ options, slots, server, db, violations })
    const settledAt = performance.now()
    await settle(db, slots)
    const settledInSeconds = (performance.now() - settledAt) / 1_000
    violations.push(...(await stopAll(slots)))
    const { facts, violations: found } = await verify(db, readJournals(join(folder, "journals")))
    violations.push(...found)
    const seconds = (performance.now() - startedAt) / 1_000
    return { kills: options.kills, seconds, settledInSeconds, facts, violations, folder }
  } finally {
    await Promise.all(slots.map((slot) => slot.kill()))
    await db.close().catch(() => {})
    await server.stop()
    if (violations.length === 0 && !options.folder) rmSync(folder, { recursive: true, force: true })
  }
}

function openSlots(
  options: ChaosOptions,
  base: { dsn: string; folder: string; seed: number },
  violations: string[],
): Slot[] {
  const roles: Role[] = Array<Role>(options.nodes).fill("engine")
  if (options.withRest) roles.push("server", "worker")
  const circumstances = {
    onDeath: (what: string) => void violations.push(what),
    databaseMayBeAway: options.withPostgres,
  }
  const port = 20_000 + (process.pid % 20_000)
  return roles.map((role, slot) => new Slot(role, { ...base, slot, port }, circumstances))
}

/** Tables and definitions are there before the first kill; what a crash in the middle of a migration does is proved elsewhere. */
async function prepare(dsn: string, db: Database): Promise<void> {
  const env = { WE_POSTGRES_DSN: dsn, DB_MAX_CONNS: "4" }
  const core = await openCore(loadConfig({ env }), createLogger({ level: "error" }))
  await db.script(EFFECTS_TABLE)
  for (const document of [invoice, order]) await uploadDefinition(core.ctx, { document, actor: "chaos" })
  await core.stop()
}

interface Battle {
  readonly options: ChaosOptions
  readonly slots: readonly Slot[]
  readonly server: Server
  readonly db: Database
  readonly violations: string[]
}

async function killAll({ options, slots, server, db, violations }: Battle): Promise<void> {
  const { kills, withPostgres, seed } = options
  const progress = new Progress(kills)
  const schedule = scheduleKills(seeded(seed), { kills, slots: slots.length, withPostgres })
  let done = 0
  for (const [index, kill] of schedule.entries()) {
    progress.show(done, await liveCount(db))
    await strike(kill, slots, server)
    done += kill.victims === "postgres" ? 1 : kill.victims.length
    if (index % CHECK_EVERY_KILLS === 0) violations.push(...(await diagnose(db, ["state", "audit"])))
  }
  progress.end()
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
  const [row] = await db.script(
    "select (select count(*) from millrace.instances) as live, (select count(*) from millrace.finished_instances) as ended",
  )
  return `${row?.ended} instances ended, ${row?.live} under way`
}

/** No new starts, then until nothing is open and nothing is due. */
async function settle(db: Database, slots: readonly Slot[]): Promise<void> {
  await Promise.all(slots.map((slot) => slot.ready))
  for (const slot of slots) slot.tell("drain")
  let fewest = Number.POSITIVE_INFINITY
  let movedAt = performance.now()
  // Starts that a killed process left open are resolved meanwhile: it is over when the count stands at zero for a while.
  for (let quiet = 0; quiet < 4 && performance.now() < movedAt + STUCK_AFTER_MS; ) {
    await sleep(250)
    const open = await openCount(db)
    if (open < fewest) movedAt = performance.now()
    fewest = Math.min(fewest, open)
    quiet = open === 0 ? quiet + 1 : 0
  }
}

async function openCount(db: Database): Promise<number> {
  const [row] = await db.script(
    "select (select count(*) from millrace.instances) + (select count(*) from millrace.chains where child_id is null) as open",
  )
  return row?.open as number
}

async function stopAll(slots: readonly Slot[]): Promise<string[]> {
  const graceful = await Promise.all(slots.map((slot) => slot.stop(20_000)))
  return graceful.flatMap((ok, slot) => (ok ? [] : [`F13: process ${slot} did not stop by itself within 20 s`]))
}
