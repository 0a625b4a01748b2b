// A transaction of another program that holds instances: what the engine's loops and requests meet.
import type { Database } from "../db/database.ts"

/** Returns what lets them go. */
export async function holdInstances(db: Database, ids: readonly string[]): Promise<() => Promise<void>> {
  const client = await db.dedicated()
  await client.query("begin")
  await client.query({
    text: "select from millrace.instances where id = any($1) order by id for update",
    values: [ids as string[]],
  })
  return async () => {
    await client.query("rollback")
    client.release()
  }
}
