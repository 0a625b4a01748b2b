// The lease of a run, checked on the connection that its step writes on.
import type { NamedValues } from "../../db/bind-values.ts"
import { type Statement, statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { HeldLease } from "../jobs/jobs.ts"

const sql = statements(import.meta.url, "run-lease", ["lockRun", "shareRun", "lockRunJobs", "findLease"])

type Execute = (statement: Statement, values: NamedValues) => Promise<{ readonly rowCount: number | null }>

/** Locks the run: what advances an instance waits for it. False when the lease was lost before the lock was had. */
export async function lockRun(execute: Execute, { instanceId, execution, epoch, nonce }: HeldLease): Promise<boolean> {
  await execute(sql.lockRun, { instanceId })
  const { rowCount } = await execute(sql.findLease, { instanceId, execution, epoch, nonce })
  return rowCount === 1
}

/** Keeps the run from being ended by another transaction. False when the lease was lost before. */
export async function shareRun(tx: Transaction, { instanceId, execution, epoch, nonce }: HeldLease): Promise<boolean> {
  await tx.read(sql.shareRun, { instanceId })
  const found = await tx.read(sql.findLease, { instanceId, execution, epoch, nonce })
  return found.length === 1
}

/**
 * A worker that records a step holds its job: what is read of the steps after this is all there will be, if the jobs
 * end too.
 */
export const lockRunJobs = (tx: Transaction, instanceId: string): Promise<unknown> =>
  tx.read(sql.lockRunJobs, { instanceId })
