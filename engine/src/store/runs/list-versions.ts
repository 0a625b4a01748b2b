// Typed access to the versions of its list that may go on with a run.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"

const sql = statements(import.meta.url, "list-versions", ["listVersionsAtHand"])

interface RunOfList {
  readonly instanceId: string
  /** The name of the list. */
  readonly list: string
}

export async function listVersionsAtHand(db: Database, run: RunOfList): Promise<readonly number[]> {
  const rows = await db.query<{ version: number }>(sql.listVersionsAtHand, { ...run })
  return rows.map(({ version }) => version)
}
