// Typed access to instances by the beginning of what they are called.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { InstanceStatus } from "../../model/instances/instance-machine.ts"

const sql = statements(import.meta.url, "search", ["searchInstances"])

export interface FoundRow extends Record<string, unknown> {
  readonly id: string
  readonly matched: "key" | "businessKey" | "id"
  /** The whole of what begins with it. */
  readonly text: string
  readonly definition_id: string
  readonly status: InstanceStatus
}

interface Search {
  /** From this text on, and before that one. */
  readonly from: string
  readonly before: string
  readonly fromId: string
  readonly beforeId: string
  /** How many definitions are looked at. */
  readonly definitions: number
  readonly limit: number
}

export const searchInstances = (db: Database, search: Search): Promise<FoundRow[]> =>
  db.query(sql.searchInstances, { ...search })
