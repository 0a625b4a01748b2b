// Typed access to where live runs of lists and functions stand.
import { statements } from "../../db/statements.ts"
import type { Reader } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "standings", ["listStandings"])

export interface StandingRow extends Record<string, unknown> {
  readonly instance_id: string
  /** Null where it has no step on record. */
  readonly name: string | null
  readonly is_done: boolean | null
  readonly is_waiting: boolean | null
  /** The later step that the list went to, because this one is a wait that was not answered in time. */
  readonly went_to: string | null
  /** The version of the list that did the step. Null where there is no step on record. */
  readonly list_version: number | null
  /** The status of its job; null where it has none. */
  readonly job: string | null
  /** The step at which its last attempt has ended. */
  readonly failed_at: string | null
}

/** One row for each step of each of the runs, of `lookAt` steps at most; one for a run without steps. */
export const listStandings = (reader: Reader, ids: readonly string[], lookAt: number): Promise<StandingRow[]> =>
  reader.read(sql.listStandings, { runs: ids.map((id) => ({ id })), lookAt })
