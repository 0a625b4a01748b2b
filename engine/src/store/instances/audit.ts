// Typed access to the audit trail.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { AuditEntry, AuditKind } from "../../model/instances/plan.ts"

const sql = statements(import.meta.url, "audit", ["insertAudit", "listAudit"])

export interface AuditRecord {
  readonly instanceId: string
  readonly seq: number
  readonly at: number
  readonly entry: AuditEntry
}

export function insertAudit(tx: Transaction, records: readonly AuditRecord[]): void {
  tx.write(sql.insertAudit, {
    records: records.map((r) => ({
      instance_id: r.instanceId,
      seq: r.seq,
      at: timestamp(r.at),
      actor: r.entry.actor,
      kind: r.entry.kind,
      detail: JSON.stringify(r.entry.detail),
    })),
  })
}

export interface AuditRow extends Record<string, unknown> {
  readonly seq: number
  readonly at: number
  readonly actor: string
  readonly kind: AuditKind
  readonly detail: string | null
}

export const listAudit = (db: Database, instanceId: string, afterSeq: number, limit: number): Promise<AuditRow[]> =>
  db.query(sql.listAudit, { instanceId, afterSeq, limit })
