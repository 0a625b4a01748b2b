// A flood of jobs in bulk through REST, while servers, workers and PostgreSQL are killed and workers are frozen; then ledger against database.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { loadConfig } from "../../../../engine/dist/config.js"
import { openCore } from "../../../../engine/dist/core.js"
import { Database } from "../../../../engine/dist/db/database.js"
import { setWatermarks } from "../../../../engine/dist/operations/flow/change-watermarks.js"
import { createLogger } from "../../../../engine/dist/support/log.js"
import { type Kills, killAll } from "../battle.ts"
import { Journal } from "../journal.ts"
import { type Role, Slot } from "../nodes.ts"
import type { ChaosOptions } from "../options.ts"
import { Server } from "../server.ts"
import { settle } from "../settle.ts"
import { stopAll } from "../stop-all.ts"
import { TOTAL_WATERMARKS, WATERMARKS, WORKERS } from "./load.ts"
import { Driver } from "./submit-flood.ts"
import { type FloodFacts, verifyFlood } from "./verify-flood.ts"

export interface FloodResult {
  readonly kills: Kills
  /** From the first job to the last, and to the verdict. */
  readonly loadSeconds: number
  readonly seconds: number
  readonly facts: FloodFacts
  readonly violations: readonly string[]
  readonly folder: string
}

interface Field {
  readonly options: ChaosOptions
  readonly server: Server
  readonly db: Database
  readonly slots: readonly Slot[]
  readonly driver: Driver
  readonly violations: string[]
}

export async function runFlood(options: ChaosOptions): Promise<FloodResult> {
  const startedAt = performance.now()
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "millrace-chaos-"))
  const journals = join(folder, "journals")
  mkdirSync(journals, { recursive: true })
  const server = new Server(folder)
  const dsn = await server.start()
  const db = new Database({ dsn, schema: "millrace", maxConnections: 4, applicationName: "chaos-verifier" })
  const violations: string[] = []
  const ports = Array.from({ length: options.nodes }, (_, slot) => 12_000 + (process.pid % 18_000) + slot)
  const slots = openSlots({ dsn, folder, seed: options.seed, ports }, violations)
  try {
    await prepare(dsn)
    const driver = new Driver({ ports, journal: new Journal(journals, "driver") })
    const { kills, loadSeconds } = await flood({ options, server, db, slots, driver, violations })
    const { facts, violations: found } = await verifyFlood(db, journals, server.cuts)
    violations.push(...found)
    return { kills, loadSeconds, seconds: (performance.now() - startedAt) / 1_000, facts, violations, folder }
  } finally {
    await Promise.all(slots.map((slot) => slot.kill()))
    await db.close().catch(() => {})
    await server.stop()
    if (violations.length === 0 && !options.folder) rmSync(folder, { recursive: true, force: true })
  }
}

function openSlots(
  base: { dsn: string; folder: string; seed: number; ports: readonly number[] },
  violations: string[],
): Slot[] {
  const roles: Role[] = [...base.ports.map(() => "server" as const), ...Array<Role>(WORKERS).fill("flood-worker")]
  const circumstances = { onDeath: (what: string) => void violations.push(what), othersMayBeAway: true }
  return roles.map((role, slot) => {
    const port = base.ports[slot]
    return new Slot({ ...base, role, slot, ...(port === undefined ? {} : { port }) }, circumstances)
  })
}

/** Tables and limits are there before the first kill. */
async function prepare(dsn: string): Promise<void> {
  const env = { WE_POSTGRES_DSN: dsn, DB_MAX_CONNS: "4" }
  const core = await openCore(loadConfig({ env }), createLogger({ level: "error" }))
  await setWatermarks(core.kernel, { actor: "chaos" }, { normal: WATERMARKS, total: TOTAL_WATERMARKS })
  await core.stop()
}

async function flood(field: Field): Promise<{ kills: Kills; loadSeconds: number }> {
  const { db, slots, driver, violations } = field
  for (const slot of slots) slot.start()
  await Promise.all(slots.map((slot) => slot.ready))
  const startedAt = performance.now()
  const driven = driver.run()
  const load = { zombies: WORKERS, untilShare: (share: number) => untilEnded(field, share), tell: () => tell(field) }
  const kills = await killAll({ ...field, load, kafka: undefined })
  await untilEnded(field, 1)
  driver.stop()
  await driven
  await settle(db, slots)
  const loadSeconds = (performance.now() - startedAt) / 1_000
  // What workers still have to report needs a server.
  for (const isServer of [false, true])
    violations.push(...(await stopAll(slots.filter(({ role }) => (role === "server") === isServer))))
  return { kills, loadSeconds }
}

const STUCK_AFTER_MS = 90_000

/** Kills keep step with the work: so many jobs have ended, of those that there shall be. */
async function untilEnded(field: Field, share: number): Promise<void> {
  let [most, movedAt] = [0, performance.now()]
  while (most < share * field.options.jobs) {
    const ended = await endedCount(field)
    if (ended > most) [most, movedAt] = [ended, performance.now()]
    else await sleep(100)
    if (performance.now() < movedAt + STUCK_AFTER_MS) continue
    field.violations.push(`L1: nothing more ended after ${most} jobs`)
    return
  }
}

async function tell(field: Field): Promise<string> {
  return `${await endedCount(field)} jobs ended`
}

async function endedCount({ db, driver }: Field): Promise<number> {
  const [row] = await db.script("select count(*) as live from millrace.jobs").catch(() => [])
  return row ? Math.max(0, driver.acked - Number(row.live)) : 0
}
