// The clock that rows are stamped by. That of the process follows it, and may be behind or ahead on a loaded machine.
import type { Database } from "../db/database.ts"

export async function databaseNow(db: Database): Promise<number> {
  const [row] = await db.script("select millrace.clock() as now")
  return row?.now as number
}
