// Reads what runs of step lists have recorded beside their history.
import { type FailedStepRow, listFailedSteps } from "../../store/runs/run-steps.ts"
import { isoTime } from "../../support/iso-time.ts"
import { cutLooked, parseUlid, readCursor } from "../kernel/cursor.ts"
import type { Kernel } from "../kernel/kernel.ts"

export interface BestEffortFailure {
  readonly instanceId: string
  readonly step: string
  readonly error: string
  readonly failedAt: string
}

export interface FailureRequest {
  readonly definitionId: string
  readonly step: string
  readonly cursor?: string | undefined
  readonly pageSize: number
}

interface FailurePage {
  readonly items: readonly BestEffortFailure[]
  /** There may be more, also after a page with few: steps of that name in other workflows are passed over, so many at a time. */
  readonly nextCursor?: string
}

const LOOKED_AT = 1_000

/** Best-effort steps of one name and workflow that failed while their runs went on, oldest run first. */
export async function listBestEffortFailures(
  kernel: Kernel,
  { definitionId, step, cursor, pageSize }: FailureRequest,
): Promise<FailurePage> {
  const after = cursor === undefined ? "" : readCursor(cursor, parseUlid)
  const limit = pageSize + 1
  const lookAt = Math.max(limit, LOOKED_AT)
  const rows = await listFailedSteps(kernel.db, { definitionId, name: step, after, lookAt, limit })
  const { shown, next } = cutLooked(rows, pageSize, ({ instance_id }) => instance_id)
  return { items: shown.map(viewOf), ...next }
}

const viewOf = (row: FailedStepRow): BestEffortFailure => ({
  instanceId: row.instance_id,
  step: row.name,
  error: row.error,
  failedAt: isoTime(row.ended_at),
})
