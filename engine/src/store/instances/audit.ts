// Typed access to the audit trail.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { AuditEntry, AuditKind } from "../../model/instances/plan.ts"
import { assert } from "../../support/assert.ts"

const sql = statements(import.meta.url, "audit", ["insertAudit", "listAudit"])

/** What one transaction says about an instance: one entry at least. */
export interface AuditRecord {
  readonly instanceId: string
  /** The number of the first entry. */
  readonly seq: number
  readonly at: number
  readonly entries: readonly AuditEntry[]
}

export function insertAudit(tx: Transaction, records: readonly AuditRecord[]): void {
  tx.write(sql.insertAudit, {
    records: records.map((r) => ({
      instance_id: r.instanceId,
      seq: r.seq,
      at: timestamp(r.at),
      ...auditColumns(r.entries),
    })),
  })
}

export function auditColumns([first, ...others]: readonly AuditEntry[]) {
  assert(first, "a row of the trail has an entry")
  return {
    actor: first.actor,
    kind: first.kind,
    detail: JSON.stringify(first.detail),
    more: others.length > 0 ? JSON.stringify(others) : null,
  }
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
