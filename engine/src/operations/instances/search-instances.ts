// Finds instances by the beginning of what they are called: what a search costs does not grow with them.
import type { InstanceStatus } from "../../model/instances/instance-machine.ts"
import { type FoundRow, searchInstances as searchRows } from "../../store/instances/search.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { type InstanceKeys, withInstanceKeys } from "./instance-keys.ts"

export interface FoundInstance extends InstanceKeys {
  readonly instanceId: string
  readonly matched: FoundRow["matched"]
  readonly text: string
  readonly definitionId: string
  readonly status: InstanceStatus
}

interface SearchRequest {
  readonly prefix: string
  readonly limit: number
}

/** No text sorts behind it. */
const LAST = "\u{10FFFF}"
const DEFINITIONS = 1_000

/** Keys of runs first, then business keys, then ids; an id may be typed in small letters. */
export async function searchInstances(
  kernel: Kernel,
  { prefix, limit }: SearchRequest,
): Promise<readonly FoundInstance[]> {
  const id = prefix.toUpperCase()
  const texts = { from: prefix, before: prefix + LAST, fromId: id, beforeId: id + LAST }
  const rows = await searchRows(kernel.db, { ...texts, definitions: DEFINITIONS, limit })
  const found = rows.map((row) => ({
    instanceId: row.id,
    matched: row.matched,
    text: row.text,
    definitionId: row.definition_id,
    status: row.status,
  }))
  return withInstanceKeys(kernel, found)
}
