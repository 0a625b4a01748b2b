// Typed access to chains.
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { JsonObject } from "../../support/json.ts"

const sql = statements(import.meta.url, "chains", ["insertChains", "lockPendingChain", "finishChain", "postponeChain"])

export interface NewChainRow {
  readonly parentId: string
  readonly definitionId: string
  readonly variables: JsonObject
  readonly businessKey: string | null
  readonly priority: string
  readonly createdAt: number
}

export function insertChains(tx: Transaction, rows: readonly NewChainRow[]): void {
  tx.write(sql.insertChains, {
    chains: rows.map((r) => ({
      parent_id: r.parentId,
      definition_id: r.definitionId,
      variables: JSON.stringify(r.variables),
      business_key: r.businessKey,
      priority: r.priority,
      created_at: timestamp(r.createdAt),
    })),
  })
}

export interface PendingChainRow extends Record<string, unknown> {
  readonly parent_id: string
  readonly definition_id: string
  readonly variables: string
  readonly business_key: string | null
  readonly priority: Priority
  /** The trace of the instance that has ended. */
  readonly trace_context: string | null
}

export async function lockPendingChain(tx: Transaction): Promise<PendingChainRow | undefined> {
  const [row] = await tx.read<PendingChainRow>(sql.lockPendingChain)
  return row
}

export const finishChain = (tx: Transaction, parentId: string, childId: string): void =>
  tx.write(sql.finishChain, { parentId, childId })

/** Left pending: tried again after a while that doubles up to a minute, so that it does not block the others. */
export const postponeChain = (tx: Transaction, parentId: string, error: string): void =>
  tx.write(sql.postponeChain, { parentId, error })
