// How many payments have not ended, and the wait until none is left.
import { setTimeout as sleep } from "node:timers/promises"
import { type Db, rowsOf } from "../payments/database.ts"

const LOOK_EVERY_MS = 500

export async function openPayments(db: Db): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(
    db,
    "select count(*)::integer as count from payments where status in ('PENDING', 'PROCESSING')",
  )
  return row?.count ?? 0
}

export async function untilSettled(db: Db, tell: (left: number) => void, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const left = await openPayments(db).catch(() => undefined)
    if (left === 0) return
    if (left !== undefined) tell(left)
    await sleep(LOOK_EVERY_MS, undefined, signal ? { signal } : {})
  }
}
