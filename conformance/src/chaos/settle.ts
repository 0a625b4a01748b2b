// After the last kill: no new work, and then until nothing is open.
import { setTimeout as sleep } from "node:timers/promises"
import type { Database } from "../../../engine/dist/db/database.js"
import type { Broker } from "./kafka/broker.ts"
import type { Slot } from "./nodes.ts"

/** L1: when nothing more has ended for so long, what is left is stuck. */
const STUCK_AFTER_MS = 60_000

/** No new starts, then until nothing is open and nothing is due. */
export async function settle(db: Database, slots: readonly Slot[], broker?: Broker): Promise<void> {
  await Promise.all(slots.map((slot) => slot.ready))
  for (const slot of slots) slot.tell("drain")
  let fewest = Number.POSITIVE_INFINITY
  let movedAt = performance.now()
  // Starts that a killed process left open are resolved meanwhile: it is over when the count stands at zero for a while.
  for (let quiet = 0; quiet < 4 && performance.now() < movedAt + STUCK_AFTER_MS; ) {
    await sleep(250)
    if (broker) await db.script(END_LONG_LEASES)
    const open = (await openCount(db)) + (broker ? ((await broker.waiting()) ?? 1) : 0)
    if (open < fewest) movedAt = performance.now()
    fewest = Math.min(fewest, open)
    quiet = open === 0 ? quiet + 1 : 0
  }
}

// What was dispatched when the mode was switched back is claimed again after a lease, which lasts up to two minutes for a standalone job.
// The verdict need not wait for that: five seconds are as good.
const END_LONG_LEASES = `update millrace.jobs set lease_until = millrace.clock()
  where status = 'leased' and worker_id = 'millrace:kafka' and lease_until <> millrace.endless()
    and lease_until - lease_ms * interval '1 ms' < millrace.clock() - interval '5 s'`

async function openCount(db: Database): Promise<number> {
  const [row] =
    await db.script(`select (select count(*) from millrace.instances) + (select count(*) from millrace.chains where child_id is null)
    + (select count(*) from millrace.live_jobs where execution = 0) + (select count(*) from millrace.dispatches) + (select count(*) from millrace.bulk_operations where finished_at is null) as open`)
  return row?.open as number
}
