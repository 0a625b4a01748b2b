// Typed access to what instances are called.
import { statements } from "../../db/statements.ts"
import type { Reader } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "instance-keys", ["listInstanceKeys"])

export interface InstanceKeysRow extends Record<string, unknown> {
  readonly id: string
  /** The key that its run was started with. */
  readonly key: string | null
  readonly business_key: string | null
  readonly linking_id: string | null
}

/** Live or ended. */
export const listInstanceKeys = (reader: Reader, ids: readonly string[]): Promise<InstanceKeysRow[]> =>
  reader.read(sql.listInstanceKeys, { instances: ids.map((id) => ({ id })) })
