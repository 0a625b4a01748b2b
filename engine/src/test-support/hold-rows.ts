// A transaction of another program that holds rows: what the engine's loops and requests meet.
import type { Database } from "../db/database.ts"

/** Returns what lets them go, at its first call. */
export const holdInstances = (db: Database, ids: readonly string[]): Promise<() => Promise<void>> =>
  holdRows(db, "select from millrace.instances where id = any($1) order by id for update", ids)

export const holdJobs = (db: Database, ids: readonly string[]): Promise<() => Promise<void>> =>
  holdRows(db, "select from millrace.jobs where instance_id = any($1) order by instance_id for update", ids)

async function holdRows(db: Database, text: string, ids: readonly string[]): Promise<() => Promise<void>> {
  const client = await db.dedicated()
  await client.query("begin")
  await client.query({ text, values: [ids as string[]] })
  let isHeld = true
  return async () => {
    if (!isHeld) return
    isHeld = false
    await client.query("rollback")
    client.release()
  }
}
