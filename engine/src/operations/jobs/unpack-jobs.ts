// Takes jobs out of their packs, so that each is a row like any other. What concerns a single job goes by its row: a failure, a cancel, a
// heartbeat, a report without a token, a completion in a caller's transaction.
import type { Transaction } from "../../db/transaction.ts"
import { type LockedJobRow, lockJobs } from "../../store/jobs/jobs.ts"
import { unpackJobs as unpackRows } from "../../store/jobs/packs.ts"
import { batched } from "../kernel/batch.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** It changes nothing for anybody, so it commits by itself: a transaction that goes on for long must not hold a pack. */
const unpacking = batched<string, undefined>({
  run: async (kernel, ids) => {
    await unpackRows(kernel.db.aside, ids)
    return ids.map(() => ({ value: undefined }))
  },
  flights: 1,
})

export async function unpackJobs(kernel: Kernel, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => unpacking(kernel).submit(id)))
}

/**
 * The rows of standalone jobs, locked. A job goes from its row into a pack, from there into a row again, and then it ends. So a job without a
 * row that is in no pack either has ended, or has its row by now.
 */
export async function lockStandalone(
  kernel: Kernel,
  tx: Transaction,
  ids: readonly string[],
): Promise<readonly LockedJobRow[]> {
  const rows = await lockJobs(tx, ids.map(keyOf))
  if (rows.length === ids.length) return rows
  const found = new Set(rows.map((row) => row.instance_id))
  const missing = ids.filter((id) => !found.has(id))
  await unpackJobs(kernel, missing)
  return [...rows, ...(await lockJobs(tx, missing.map(keyOf)))]
}

const keyOf = (id: string) => ({ kind: "standalone", id }) as const
