// A lane for races: one database with a movable clock, an engine to prepare and to check with, and up to three engines that race.
// No loop runs here but those that a race runs itself.

import { Database } from "../db/database.ts"
import { definitionsOf } from "../operations/definitions/definition-cache.ts"
import { uploadDefinition } from "../operations/definitions/upload-definition.ts"
import { queuesOf } from "../operations/flow/queue-registry.ts"
import { createKernel } from "../operations/kernel/create-kernel.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { createWeeks } from "../operations/upkeep/keep-house.ts"
import type { JsonObject } from "../support/json.ts"
import { createLogger } from "../support/log.ts"
import { createMetrics } from "../support/metrics.ts"
import { BARE_SETTINGS } from "./bare-kernel.ts"
import { Gates, lockMonitor } from "./interleave.ts"
import { interceptSettings, takeInterception } from "./lock-waits.ts"
import { byNearestDoor } from "./nearest-door.ts"
import { StoppableClock } from "./stoppable-clock.ts"
import { createTestDatabase } from "./test-engine.ts"

const RACERS = 3

/** In milliseconds, twenty times what the engine says, with its unit or without. */
const LONGER = `case when name <> 'lock_timeout' then value when value ~ '^\\d+$' then (20 * value::integer)::text
  else (20000 * extract(epoch from value::interval))::integer::text end`

export interface Racer {
  readonly gates: Gates
  readonly db: Database
  readonly kernel: Kernel
}

export interface Lane {
  readonly kernel: Kernel
  readonly db: Database
  readonly racers: readonly Racer[]
  readonly findBlocked: Awaited<ReturnType<typeof lockMonitor>>["findBlocked"]
  /** What the engines logged as errors since the last call. */
  takeErrors(): string[]
  upload(document: JsonObject): Promise<void>
  advanceClock(ms: number): Promise<void>
  /** Lets every racer learn the definitions and queues there are, so that a race is about nothing else. */
  warm(definitionId: string): Promise<void>
  close(): Promise<void>
}

export async function openLane(): Promise<Lane> {
  const { dsn: direct, drop } = await createTestDatabase()
  const dsn = byNearestDoor(direct)
  await lengthenWaits(dsn)
  const errors: string[] = []
  const log = createLogger({ level: "error", destination: { write: (line: string) => void errors.push(line) } })
  const settings = { ...BARE_SETTINGS, retainMs: 86_400_000 }
  const contextOn = (db: Database) =>
    createKernel({ db, log, metrics: createMetrics(), settings, batchMax: 100, clock: new StoppableClock() })
  const db = new Database({ dsn, schema: "millrace", maxConnections: 6 })
  const kernel = contextOn(db)
  const racers = Array.from({ length: RACERS }, (_, index) => {
    const gates = new Gates(`racer-${index}`)
    const mine = new Database({ dsn, schema: "millrace", maxConnections: 6, applicationName: gates.applicationName })
    return { gates, db: mine, kernel: contextOn(mine) }
  })
  let moves = 0
  const monitor = await lockMonitor(db)
  const readClock = async () => {
    const [row] = await db.script("select millrace.clock() as now")
    for (const each of [kernel, ...racers.map((racer) => racer.kernel)]) each.clock.observe(row?.now as number)
  }
  await readClock()
  await createWeeks(kernel)
  return {
    kernel,
    db,
    racers,
    findBlocked: monitor.findBlocked,
    takeErrors: () => errors.splice(0),
    async upload(document) {
      await uploadDefinition(kernel, { document, actor: "local" })
    },
    async advanceClock(ms) {
      await db.script(`update millrace.test_clock set offset_ms = offset_ms + ${Math.round(ms)}`)
      // A manual vacuum keeps the one row of the clock, which every statement reads, from trailing its dead versions.
      moves += 1
      if (moves % 100 === 0) await db.script("vacuum millrace.test_clock")
      await readClock()
    },
    async warm(definitionId) {
      await Promise.all(
        racers.map(({ kernel }) =>
          Promise.all([definitionsOf(kernel).version(definitionId, 1), queuesOf(kernel).refresh()]),
        ),
      )
    },
    async close() {
      monitor.close()
      await Promise.all([db, ...racers.map((racer) => racer.db)].map((each) => each.close()))
      await drop()
    },
  }
}

/**
 * A side waits for the lock of another that the schedule has stopped. On a slow machine that takes longer than a heartbeat would wait, or a
 * request, and its refusal would be taken for a fault.
 */
async function lengthenWaits(dsn: string): Promise<void> {
  const admin = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  await admin.script(interceptSettings("patient", { value: LONGER }))
  await admin.script(takeInterception(new URL(dsn).pathname.slice(1), "patient"))
  await admin.close()
}
