// The clock that rows are stamped by, and the process's own idea of it, which is never ahead: both are moved together.
import type { Database } from "../db/database.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { StoppableClock } from "./stoppable-clock.ts"

type Clocks = Pick<Kernel, "db" | "clock">

export async function databaseNow(db: Database): Promise<number> {
  const [row] = await db.script("select millrace.clock() as now")
  return row?.now as number
}

/** Forward only. A time that was asked for before the move and comes in after it changes nothing. */
export async function advanceClock({ db, clock }: Clocks, ms: number): Promise<void> {
  const by = Math.max(0, Math.round(ms))
  // First here: a pulse that brings the new time must not be moved a second time.
  if (clock instanceof StoppableClock) clock.move(by)
  await db.script(`update millrace.test_clock set offset_ms = offset_ms + ${by}`)
  clock.observe(await databaseNow(db))
}

/**
 * From here on time passes only where a test moves it, however slow the machine is: for tests that look at lengths of time.
 * At that moment, or where it is now.
 */
export async function stopClock({ db, clock }: Clocks, iso?: string): Promise<void> {
  const moment = iso === undefined ? "millrace.clock()" : `timestamptz '${iso}'`
  await db.script(`update millrace.test_clock set stopped_at = date_trunc('milliseconds', ${moment}), offset_ms = 0`)
  if (clock instanceof StoppableClock) clock.stop(await databaseNow(db))
}

/** The clock goes on from where it stands. */
export async function startClock({ db, clock }: Clocks): Promise<void> {
  await db.script(`update millrace.test_clock set stopped_at = null,
    offset_ms = offset_ms + ceil(1000 * extract(epoch from stopped_at - clock_timestamp()))`)
  if (clock instanceof StoppableClock) clock.start(await databaseNow(db))
}
