// Settings of job types: how long one attempt may run, and what becomes of variables that are too large for Kafka; changed while the
// engine runs.
import { formatDuration } from "../../model/kernel/durations.ts"
import {
  clearJobType,
  type JobTypeSettings,
  listJobTypes as listRows,
  setJobType as setRow,
} from "../../store/flow/job-types.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Done } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { changeLive, type LastChange, type Operator } from "./change-live.ts"

export interface JobTypeView extends LastChange {
  readonly name: string
  /** ISO-8601. Without it the timeout of the job applies, or that of the configuration. */
  readonly timeout?: string
  /** What becomes of variables that are too large for a message of Kafka; without it the job fails. */
  readonly largePayload?: "fail" | "reference"
  readonly lastPolledAt?: string
}

/** The types with a setting of their own, and those that have had jobs. */
export async function listJobTypes(kernel: Kernel): Promise<readonly JobTypeView[]> {
  const rows = await listRows(kernel.db)
  return rows.map(({ name, timeout_ms, large_payload, polled_at, changed_at, changed_by }) => ({
    ...viewOf({ name, timeoutMs: timeout_ms, largePayload: large_payload }),
    ...(polled_at === null ? {} : { lastPolledAt: isoTime(polled_at) }),
    ...(changed_at === null || changed_by === null ? {} : { changedAt: isoTime(changed_at), changedBy: changed_by }),
  }))
}

type GivenSettings = Omit<JobTypeSettings, "largePayload"> & Partial<Pick<JobTypeSettings, "largePayload">>

/** Holds from the next claim on; null takes it back. */
export const setJobType = (kernel: Kernel, operator: Operator, given: GivenSettings): Promise<Done<JobTypeView>> =>
  changeLive(kernel, operator, async (tx) => {
    const settings = { largePayload: null, ...given }
    const { name, timeoutMs, largePayload } = settings
    const isCleared = timeoutMs === null && largePayload === null
    const hasChanged = isCleared ? await clearJobType(tx, name) : await setRow(tx, settings)
    const detail = {
      timeout: timeoutMs === null ? null : formatDuration(timeoutMs),
      ...(largePayload === null ? {} : { largePayload }),
    }
    return { view: viewOf(settings), change: hasChanged ? { kind: "job-type", name, detail } : undefined }
  })

const viewOf = ({ name, timeoutMs, largePayload }: JobTypeSettings): JobTypeView => ({
  name,
  ...(timeoutMs === null ? {} : { timeout: formatDuration(timeoutMs) }),
  ...(largePayload === null ? {} : { largePayload }),
})
