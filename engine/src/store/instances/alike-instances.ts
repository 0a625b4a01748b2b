// Typed access to instances that begin alike: their rows, audit trails and first jobs in one statement.
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { AuditEntry, NewJob } from "../../model/instances/plan.ts"
import { auditColumns } from "./audit.ts"
import type { NewInstanceRow } from "./instances.ts"

const sql = statements(import.meta.url, "alike-instances", ["insertAlike"])

export interface AlikeInstances {
  readonly ids: readonly string[]
  /** JSON texts, in the order of the ids. */
  readonly inputs: readonly string[]
  /** What the instances have in common. */
  readonly row: NewInstanceRow
  readonly audit: readonly AuditEntry[]
  readonly job: NewJob
  readonly queueId: number
  /** Fails with NEWER_VERSION if their definition has a later version. */
  readonly isLatest: boolean
}

export function insertAlike(
  tx: Transaction,
  { ids, inputs, row, audit, job, queueId, isLatest }: AlikeInstances,
): void {
  tx.write(sql.insertAlike, {
    ids,
    inputs: `[${inputs.join()}]`,
    definitionId: row.definitionId,
    definitionVersion: row.definitionVersion,
    status: row.status,
    priority: row.priority,
    state: row.state,
    version: row.version,
    readsVariables: row.readsVariables,
    startedAt: timestamp(row.startedAt),
    trace: row.trace ?? null,
    trail: audit.length > 0 ? [auditColumns(audit)] : [],
    execution: job.execution,
    queueId,
    stepId: job.stepId,
    retries: job.retries,
    runMs: job.runMs,
    downstream: job.downstream || null,
    latestIds: isLatest ? [row.definitionId] : [],
    latestVersions: isLatest ? [row.definitionVersion] : [],
  })
}
