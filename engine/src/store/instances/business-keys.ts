// Typed access to the keys that belong to one unfinished instance.
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "business-keys", [
  "insertBusinessKeys",
  "findBusinessKeyHolders",
  "deleteBusinessKeys",
])

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

interface HolderRow extends Record<string, unknown> {
  readonly definition_id: string
  readonly business_key: string
  readonly instance_id: string
}

type WantedKey = Pick<BusinessKey, "definitionId" | "businessKey">

/** Which instances have these keys, in the order of the keys; undefined where one is free again meanwhile. */
export async function findBusinessKeyHolders(
  tx: Transaction,
  keys: readonly WantedKey[],
): Promise<readonly (string | undefined)[]> {
  const wanted = keys.map(({ definitionId, businessKey }) => ({
    definition_id: definitionId,
    business_key: businessKey,
  }))
  const rows = await tx.read<HolderRow>(sql.findBusinessKeyHolders, { keys: wanted })
  const holders = new Map(rows.map((row) => [identityOf(row.definition_id, row.business_key), row.instance_id]))
  return keys.map(({ definitionId, businessKey }) => holders.get(identityOf(definitionId, businessKey)))
}

const identityOf = (definitionId: string, businessKey: string): string => JSON.stringify([definitionId, businessKey])

export const deleteBusinessKeys = (tx: Transaction, keys: readonly BusinessKey[]): void =>
  tx.write(sql.deleteBusinessKeys, { keys: keys.map(toRow) })
