// Puts into rows that name an instance what that instance is called: one more statement for all of a page.
import { type InstanceKeysRow, listInstanceKeys } from "../../store/instances/instance-keys.ts"
import type { Kernel } from "../kernel/kernel.ts"

export interface InstanceKeys {
  /** The key that its run was started with. */
  readonly key?: string
  readonly businessKey?: string
  readonly linkingId?: string
}

/** Rows without an instance stay as they are. */
export async function withInstanceKeys<Row extends { readonly instanceId?: string | undefined }>(
  kernel: Kernel,
  rows: readonly Row[],
): Promise<readonly (Row & InstanceKeys)[]> {
  const ids = [...new Set(rows.flatMap(({ instanceId }) => instanceId ?? []))]
  if (ids.length === 0) return rows
  const found = new Map((await listInstanceKeys(kernel.db, ids)).map((row) => [row.id, keysOf(row)]))
  return rows.map((row) => ({ ...row, ...found.get(row.instanceId ?? "") }))
}

const keysOf = ({ key, business_key: businessKey, linking_id: linkingId }: InstanceKeysRow): InstanceKeys => ({
  ...(key === null ? {} : { key }),
  ...(businessKey === null ? {} : { businessKey }),
  ...(linkingId === null ? {} : { linkingId }),
})

/** Leaves out the keys, for a caller that may not read instances. */
export function withoutInstanceKeys<Row extends InstanceKeys>(row: Row): Omit<Row, keyof InstanceKeys> {
  const { key: _, businessKey: __, linkingId: ___, ...rest } = row
  return rest
}
