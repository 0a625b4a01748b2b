// Typed access to where the live instances of a definition stand.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"

const sql = statements(import.meta.url, "definition-activity", ["listActivity"])

export interface ActivityRow extends Record<string, unknown> {
  readonly version: number
  readonly step_id: string
  readonly open: number
  readonly older: number
}

export interface Activity {
  readonly steps: readonly ActivityRow[]
  /** Instances that were read; their steps are those counted. */
  readonly instances: number
}

interface ActivityRequest {
  readonly definitionId: string
  readonly olderThanMs: number
  readonly limit: number
}

/** Newest version first. */
export async function listActivity(
  db: Database,
  { definitionId, olderThanMs, limit }: ActivityRequest,
): Promise<Activity> {
  const rows = await db.query<ActivityRow & { readonly instances: number }>(sql.listActivity, {
    definitionId,
    limit,
    olderThanMs,
  })
  // Without an open step there is one row, and no step in it.
  return { steps: rows.filter((row) => row.step_id !== null), instances: rows[0]?.instances ?? 0 }
}
