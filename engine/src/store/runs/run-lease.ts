// The lease of a run, checked on the connection that its step writes on.
import type { NamedValues } from "../../db/bind-values.ts"
import { type Statement, statements } from "../../db/statements.ts"
import type { HeldLease } from "../jobs/jobs.ts"

const sql = statements(import.meta.url, "run-lease", ["lockRun", "findLease"])

type Execute = (statement: Statement, values: NamedValues) => Promise<{ readonly rowCount: number | null }>

/** Locks the run: what advances an instance waits for it. False when the lease was lost before the lock was had. */
export async function lockRun(execute: Execute, { instanceId, execution, epoch, nonce }: HeldLease): Promise<boolean> {
  await execute(sql.lockRun, { instanceId })
  const { rowCount } = await execute(sql.findLease, { instanceId, execution, epoch, nonce })
  return rowCount === 1
}
