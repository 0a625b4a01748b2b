// Settings of job types: how long one attempt may run, changed while the engine runs.
import { formatDuration } from "../../model/kernel/durations.ts"
import { deleteTimeoutOfType, listJobTypes as listRows, setTimeoutOfType } from "../../store/flow/job-types.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Done } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { changeLive, type LastChange, type Operator } from "./change-live.ts"

export interface JobTypeView extends LastChange {
  readonly name: string
  /** As ISO-8601; without it a job goes by its own, or by the configuration's. */
  readonly timeout?: string
  readonly lastPolledAt?: string
}

/** The types with a setting of their own, and those that have had jobs. */
export async function listJobTypes(kernel: Kernel): Promise<readonly JobTypeView[]> {
  const rows = await listRows(kernel.db)
  return rows.map(({ name, timeout_ms, polled_at, changed_at, changed_by }) => ({
    ...viewOf(name, timeout_ms),
    ...(polled_at === null ? {} : { lastPolledAt: isoTime(polled_at) }),
    ...(changed_at === null || changed_by === null ? {} : { changedAt: isoTime(changed_at), changedBy: changed_by }),
  }))
}

/** Holds from the next claim on; null takes it back. */
export const setJobType = (
  kernel: Kernel,
  operator: Operator,
  { name, timeoutMs }: { readonly name: string; readonly timeoutMs: number | null },
): Promise<Done<JobTypeView>> =>
  changeLive(kernel, operator, async (tx) => {
    const hasChanged =
      timeoutMs === null ? await deleteTimeoutOfType(tx, name) : await setTimeoutOfType(tx, name, timeoutMs)
    const detail = { timeout: timeoutMs === null ? null : formatDuration(timeoutMs) }
    return { view: viewOf(name, timeoutMs), change: hasChanged ? { kind: "job-type", name, detail } : undefined }
  })

const viewOf = (name: string, timeoutMs: number | null): JobTypeView => ({
  name,
  ...(timeoutMs === null ? {} : { timeout: formatDuration(timeoutMs) }),
})
