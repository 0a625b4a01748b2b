// Heartbeats: a holder extends its lease. A lease that has ended can still be extended as long as it has not been swept.

import type { Outcome } from "../../../db/batcher.ts"
import type { Claimant } from "../../../model/jobs/reports.ts"
import { findVariables } from "../../../store/jobs/dispatches.ts"
import { jobKeyOf } from "../../../store/jobs/job-columns.ts"
import { heartbeatJobs } from "../../../store/jobs/jobs.ts"
import { EngineError } from "../../../support/errors.ts"
import { type JobKey, jobIdOf, parseJobId } from "../../../support/job-key.ts"
import { batched } from "../../kernel/batch.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { isHolder } from "../end/judge-report.ts"
import { unpackJobs } from "../unpack-jobs.ts"

export interface HeartbeatRequest extends Claimant {
  readonly jobId: string
  /** Undefined: as much as the claim gave. */
  readonly leaseMs?: number | undefined
}

export interface HeartbeatItem extends HeartbeatRequest {
  readonly key: JobKey
}

/** The new end of the lease, or a refusal: the lease is lost. */
export async function heartbeatJob(kernel: Kernel, request: HeartbeatRequest): Promise<number> {
  const key = parseJobId(request.jobId)
  const until = key && (await heartbeats(kernel).submit({ ...request, key }))
  if (until === undefined) throw leaseLost(request.jobId)
  return until
}

/** What a message of Kafka had no room for, as JSON text, for a holder whose heartbeat was taken. */
export async function readHeldVariables(kernel: Kernel, jobId: string): Promise<string> {
  const key = parseJobId(jobId)
  const variables = key && (await findVariables(kernel.db, key))
  if (variables === undefined) throw leaseLost(jobId)
  return variables
}

const leaseLost = (jobId: string) => new EngineError("lease-lost", `the lease of job ${jobId} is lost`)

async function heartbeatBatch(
  kernel: Kernel,
  items: readonly HeartbeatItem[],
): Promise<readonly Outcome<number | undefined>[]> {
  // A job that is extended goes on by itself, while others of its pack have ended long ago.
  const packed = items.flatMap(({ key, token }) =>
    key.kind === "standalone" && (!token || token.place !== undefined) ? [key.id] : [],
  )
  if (packed.length > 0) await unpackJobs(kernel, packed)
  const rows = await heartbeatJobs(
    kernel.db,
    items.map(({ key, workerId, token, leaseMs }) => ({
      key,
      workerId,
      leaseMs: leaseMs ?? null,
      epoch: token?.epoch ?? null,
      nonce: token?.nonce ?? null,
    })),
  )
  const until = new Map(rows.map((row) => [jobIdOf(jobKeyOf(row)), row]))
  return items.map((item) => {
    const row = until.get(item.jobId)
    const mine = row && isHolder(item, row)
    return { value: mine ? row.lease_until : undefined }
  })
}

const heartbeats = batched<HeartbeatItem, number | undefined>({ run: heartbeatBatch, flights: 1 })
