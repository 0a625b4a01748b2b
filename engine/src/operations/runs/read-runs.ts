// Reads what runs of step lists have recorded beside their history.
import { listFailedSteps } from "../../store/runs/run-steps.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Kernel } from "../kernel/kernel.ts"

export interface BestEffortFailure {
  readonly instanceId: string
  readonly step: string
  readonly error: string
  readonly failedAt: string
}

interface Page {
  /** The instance id of the last one seen. */
  readonly after?: string
  readonly limit?: number
}

const PAGE = 100

/** Best-effort steps of one name that failed while their runs went on, oldest run first. */
export async function listBestEffortFailures(
  kernel: Kernel,
  step: string,
  { after = "", limit = PAGE }: Page,
): Promise<readonly BestEffortFailure[]> {
  const rows = await listFailedSteps(kernel.db, step, after, limit)
  return rows.map((row) => ({
    instanceId: row.instance_id,
    step: row.name,
    error: row.error,
    failedAt: isoTime(row.ended_at),
  }))
}
