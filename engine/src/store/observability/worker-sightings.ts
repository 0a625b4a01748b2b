// Typed access to the sightings of workers.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"

const sql = statements(import.meta.url, "worker-sightings", ["pruneSightings"])

/** Deletes workers that were not seen for an hour. */
export async function pruneSightings(db: Database): Promise<void> {
  await db.query(sql.pruneSightings)
}
