// Typed access to restarts.
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "restarts", ["insertRestarts"])

interface RestartRow {
  readonly instanceId: string
  readonly restartOf: string
}

export const insertRestarts = (tx: Transaction, rows: readonly RestartRow[]): void =>
  tx.write(sql.insertRestarts, {
    restarts: rows.map(({ instanceId, restartOf }) => ({ instance_id: instanceId, restart_of: restartOf })),
  })
