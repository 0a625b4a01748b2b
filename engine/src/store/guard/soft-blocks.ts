// Typed access to what is refused for a while.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"

const sql = statements(import.meta.url, "soft-blocks", ["upsertSoftBlocks", "deleteSoftBlocks", "readOperatorBlocks"])

export interface SoftBlockRow extends Record<string, unknown> {
  readonly reason: string
  readonly blocked_at: number
  readonly subject: string
  readonly rule: string
  /** Null where the rule itself has done it. */
  readonly blocked_by: string | null
  readonly blocked_until: number
}

export interface NewSoftBlock {
  readonly id: string
  readonly subject: string
  readonly rule: string
  readonly reason: string
  readonly actor: string | undefined
  readonly at: number
  readonly until: number
}

/** If there are several blocks for one subject and rule, the last one counts. */
export async function upsertSoftBlocks(db: Reader, blocks: readonly NewSoftBlock[]): Promise<void> {
  const distinct = new Map(blocks.map((block) => [`${block.rule} ${block.subject}`, block]))
  const rows = [...distinct.values()].map(({ subject, rule, id, reason, actor = null, at, until }) => ({
    subject,
    rule,
    id,
    reason,
    actor,
    at: timestamp(at),
    until: timestamp(until),
  }))
  await db.read(sql.upsertSoftBlocks, { blocks: rows })
}

/** Whether there were any. */
export async function deleteSoftBlocks(tx: Transaction, subject: string): Promise<boolean> {
  const rows = await tx.read(sql.deleteSoftBlocks, { subject })
  return rows.length > 0
}

/** The blocks in force that operators have made. */
export const readOperatorBlocks = (db: Database): Promise<SoftBlockRow[]> => db.query(sql.readOperatorBlocks)
