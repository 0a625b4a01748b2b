// Puts into rows of standalone jobs the keys that they were enqueued with: one more statement for all of a page.
import { listKeysOfJobs } from "../../store/jobs/job-keys.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** `idOf` says which standalone job a row is about; undefined where it is about none. */
export async function withJobKeys<Row extends { readonly key?: string }>(
  kernel: Kernel,
  rows: readonly Row[],
  idOf: (row: Row) => string | undefined,
): Promise<readonly Row[]> {
  const ids = rows.flatMap((row) => idOf(row) ?? [])
  if (ids.length === 0) return rows
  const keys = new Map((await listKeysOfJobs(kernel.db, ids)).map(({ job_id, key }) => [job_id, key]))
  return rows.map((row) => {
    const key = keys.get(idOf(row) ?? "")
    return key === undefined ? row : { ...row, key }
  })
}
