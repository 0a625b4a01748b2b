// A flood of jobs in bulk through REST, while servers, workers and PostgreSQL are killed and workers are frozen; then ledger against database.
import { setTimeout as sleep } from "node:timers/promises"
import { loadConfig } from "../../../../engine/dist/config.js"
import { openCore } from "../../../../engine/dist/core.js"
import { setWatermarks } from "../../../../engine/dist/operations/flow/change-watermarks.js"
import { createLogger } from "../../../../engine/dist/support/log.js"
import { type Arena, inArena } from "../arena.ts"
import { type Kills, killAll } from "../battle.ts"
import { Journal } from "../journal.ts"
import { type Role, Slot } from "../nodes.ts"
import type { ChaosOptions } from "../options.ts"
import { settle } from "../settle.ts"
import { stopAll } from "../stop-all.ts"
import { type FloodFacts, tooLittle } from "./flood-facts.ts"
import { TOTAL_WATERMARKS, WATERMARKS, WORKERS, ZOMBIES } from "./load.ts"
import { Driver } from "./submit-flood.ts"
import { verifyFlood } from "./verify-flood.ts"

export interface FloodResult {
  readonly kills: Kills
  /** From the first job to the last, and to the verdict. */
  readonly loadSeconds: number
  readonly seconds: number
  readonly facts: FloodFacts
  readonly violations: readonly string[]
  readonly folder: string
}

interface Field extends Arena {
  readonly options: ChaosOptions
  readonly slots: readonly Slot[]
  readonly driver: Driver
}

export const runFlood = (options: ChaosOptions): Promise<FloodResult> =>
  inArena(options.folder, (arena) => fight(options, arena))

async function fight(options: ChaosOptions, arena: Arena): Promise<Omit<FloodResult, "violations" | "folder">> {
  const startedAt = performance.now()
  const { dsn, journals, db, server, violations } = arena
  const ports = Array.from({ length: options.nodes }, (_, slot) => 12_000 + (process.pid % 18_000) + slot)
  const slots = openSlots(options, arena, ports)
  try {
    await prepare(dsn)
    const driver = new Driver({ ports, journal: new Journal(journals, "driver") })
    const { kills, loadSeconds } = await flood({ ...arena, options, slots, driver })
    const { facts, violations: found } = await verifyFlood(db, journals, server.cuts)
    violations.push(...found, ...tooLittle(kills, facts))
    return { kills, loadSeconds, seconds: (performance.now() - startedAt) / 1_000, facts }
  } finally {
    await Promise.all(slots.map((slot) => slot.kill()))
  }
}

function openSlots({ seed }: ChaosOptions, { dsn, folder, violations }: Arena, ports: readonly number[]): Slot[] {
  const roles: Role[] = [...ports.map(() => "server" as const), ...Array<Role>(WORKERS + ZOMBIES).fill("flood-worker")]
  const circumstances = { onDeath: (what: string) => void violations.push(what), othersMayBeAway: true }
  return roles.map((role, slot) => {
    const port = ports[slot]
    return new Slot({ dsn, folder, seed, ports, role, slot, ...(port === undefined ? {} : { port }) }, circumstances)
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
  const load = { zombies: ZOMBIES, untilShare: (share: number) => untilEnded(field, share), tell: () => tell(field) }
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
  const [row] = await db.script("select count(*) as live from millrace.live_jobs").catch(() => [])
  return row ? Math.max(0, driver.acked - Number(row.live)) : 0
}
