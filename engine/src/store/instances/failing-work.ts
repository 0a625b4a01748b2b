// Typed access to the work of the loops that fails: next workflows, and requests made in SQL.

import { statements } from "../../db/statements.ts"
import type { Reader } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "failing-work", ["listFailing"])

export interface FailingRow extends Record<string, unknown> {
  readonly what: "chain" | "request"
  readonly failures: number
  readonly reason: string
  readonly due_at: number | null
  readonly since: number
}

export const listFailing = (reader: Reader, instanceId: string): Promise<FailingRow[]> =>
  reader.read(sql.listFailing, { instanceId })
