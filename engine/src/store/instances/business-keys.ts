// Typed access to the keys that belong to one unfinished instance.
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "business-keys", ["insertBusinessKeys", "deleteBusinessKeys"])

export interface BusinessKey {
  readonly definitionId: string
  readonly businessKey: string
  readonly instanceId: string
}

const toRow = ({ definitionId, businessKey, instanceId }: BusinessKey) => ({
  definition_id: definitionId,
  business_key: businessKey,
  instance_id: instanceId,
})

/** Returns the instances that got their key. In the order of keys: unsorted batches of duplicates would deadlock. */
export async function insertBusinessKeys(tx: Transaction, keys: readonly BusinessKey[]): Promise<Set<string>> {
  const rows = await tx.read<{ instance_id: string }>(sql.insertBusinessKeys, { keys: keys.map(toRow) })
  return new Set(rows.map((row) => row.instance_id))
}

export const deleteBusinessKeys = (tx: Transaction, keys: readonly BusinessKey[]): void =>
  tx.write(sql.deleteBusinessKeys, { keys: keys.map(toRow) })
