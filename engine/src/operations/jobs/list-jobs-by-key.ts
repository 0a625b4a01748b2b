// Standalone jobs whose key begins with a text, in the order of their types and keys: what a page costs does not grow with them.
import { type KeyPlace, listKeysFrom } from "../../store/jobs/job-keys.ts"
import { beginningWith } from "../kernel/beginning-with.ts"
import { cutLooked, readCursor } from "../kernel/cursor.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { KEYS_LOOKED_AT, type KeyedPage } from "../kernel/keyed-page.ts"

export interface KeyedJobs {
  readonly keyPrefix: string
  readonly jobType?: string | undefined
  readonly cursor?: string | undefined
  readonly pageSize: number
}

/** `read` answers those of the jobs that are in the list. */
export async function listJobsByKey<View extends { readonly id: string }>(
  kernel: Kernel,
  { keyPrefix, jobType, cursor, pageSize }: KeyedJobs,
  read: (ids: readonly string[]) => Promise<readonly View[]>,
): Promise<KeyedPage<View>> {
  const after = cursor === undefined ? { afterType: jobType ?? "", afterKey: "" } : readCursor(cursor, parsePlace)
  const range = { ...beginningWith(keyPrefix), ...after, jobType: jobType ?? null, lookAt: KEYS_LOOKED_AT }
  const places = await listKeysFrom(kernel.db, range)
  const views = new Map((await read(places.flatMap(({ job_id }) => job_id ?? []))).map((view) => [view.id, view]))
  const rows = places.map((place) => ({ ...place, view: views.get(place.job_id ?? "") }))
  const { shown, next } = cutLooked(
    rows.map((row) => ({ ...row, matches: row.view !== undefined })),
    pageSize,
    placeOf,
  )
  return { items: shown.flatMap(({ view, key }) => (view === undefined ? [] : [{ ...view, key }])), ...next }
}

const placeOf = ({ job_type, key }: Pick<KeyPlace, "job_type" | "key">): string => JSON.stringify([job_type, key])

function parsePlace(text: string): { readonly afterType: string; readonly afterKey: string } | undefined {
  const [afterType, afterKey] = listIn(text)
  return typeof afterType === "string" && typeof afterKey === "string" ? { afterType, afterKey } : undefined
}

function listIn(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
