// Typed access to what a relay has left behind when jobs are polled again.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"

const sql = statements(import.meta.url, "left-dispatches", ["releaseLeft", "findLeft"])

/** What a relay has left: whether there is any, and whether a relay leads. */
interface LeftRow extends Record<string, unknown> {
  readonly is_left: boolean
  readonly is_led: boolean
}

export async function findLeft(db: Database, loop: string): Promise<LeftRow> {
  const [row] = await db.query<LeftRow>(sql.findLeft, { loop })
  return row ?? { is_left: false, is_led: false }
}

export const releaseLeft = (db: Database, loop: string, limit: number): Promise<unknown> =>
  db.query(sql.releaseLeft, { loop, limit })
