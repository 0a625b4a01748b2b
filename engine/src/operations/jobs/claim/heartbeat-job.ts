// Heartbeats: a holder extends its lease. A lease that has ended can still be extended as long as it has not been swept.

import type { Outcome } from "../../../db/batcher.ts"
import { type Claimant, holds } from "../../../model/jobs/reports.ts"
import { heartbeatJobs, type JobKey } from "../../../store/jobs/jobs.ts"
import { EngineError } from "../../../support/errors.ts"
import { parseJobId } from "../../../support/ids.ts"
import { batched } from "../../kernel/batch.ts"
import type { Kernel } from "../../kernel/kernel.ts"

export interface HeartbeatRequest extends Claimant {
  readonly jobId: string
  /** Undefined: as much as the claim gave. */
  readonly leaseMs?: number | undefined
}

export type HeartbeatItem = JobKey & Claimant & Pick<HeartbeatRequest, "leaseMs">

/** The new end of the lease, or a refusal: the lease is lost. */
export async function heartbeatJob(kernel: Kernel, request: HeartbeatRequest): Promise<number> {
  const key = parseJobId(request.jobId)
  const until = key && (await heartbeats(kernel).submit({ ...key, ...request }))
  if (until === undefined) throw new EngineError("lease-lost", `the lease of job ${request.jobId} is lost`)
  return until
}

async function heartbeatBatch(
  kernel: Kernel,
  items: readonly HeartbeatItem[],
): Promise<readonly Outcome<number | undefined>[]> {
  const rows = await heartbeatJobs(
    kernel.db,
    items.map(({ instanceId, execution, workerId, token, leaseMs }) => ({
      instanceId,
      execution,
      workerId,
      leaseMs: leaseMs ?? null,
      epoch: token?.epoch ?? null,
      nonce: token?.nonce ?? null,
    })),
  )
  const until = new Map(rows.map((row) => [`${row.instance_id}/${row.execution}`, row]))
  return items.map((item) => {
    const row = until.get(`${item.instanceId}/${item.execution}`)
    const mine = row && holds(item, { epoch: row.epoch, nonce: row.nonce, workerId: row.worker_id })
    return { value: mine ? row.lease_until : undefined }
  })
}

const heartbeats = batched<HeartbeatItem, number | undefined>({ run: heartbeatBatch, flights: 1 })
