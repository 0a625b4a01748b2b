// A job as its claimant sees it.

import type { Priority } from "../../../model/definitions/definition.ts"
import { formatToken, type LeaseToken } from "../../../model/jobs/reports.ts"
import type { LeasedRow, Slot } from "../../../store/jobs/claims.ts"
import { jobKeyOf } from "../../../store/jobs/job-columns.ts"
import { jobIdOf } from "../../../support/job-key.ts"
import { randomNonce } from "../../../support/nonce.ts"
import { traceparentOf, tracestateOf } from "../../../support/trace-context.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"

export interface ClaimedJob {
  readonly id: string
  readonly jobType: string
  readonly instanceId: string
  readonly stepId: string
  readonly stepExecutionId: string
  readonly retriesRemaining: number
  /** JSON text, as stored: it need not be parsed to be sent. */
  readonly variables: string
  readonly lockExpiresAt: number
  readonly leaseToken: string
  /** The same, taken apart. */
  readonly token: LeaseToken
  readonly attempt: number
  readonly priority: Priority
  readonly definitionId: string
  readonly businessKey: string | undefined
  /** Constant over attempts, replays and manual retries: what a handler gives to the systems it calls. */
  readonly idempotencyKey: string
  /** How long an attempt may run. */
  readonly runMs?: number | undefined
  /** Where it was asked for, by the W3C's rules: what is done for it goes on with that trace. */
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

/** Places in a claim for the worker that asked. What proves the lease is drawn when it is needed: a pack has one for all of its jobs. */
export class ClaimSlot implements Slot {
  readonly workerId: string
  readonly leaseMs: number | undefined
  readonly beats: boolean | undefined
  #nonce: string | undefined

  constructor({ workerId, leaseMs, beats }: Omit<Slot, "nonce">) {
    this.workerId = workerId
    this.leaseMs = leaseMs
    this.beats = beats
  }

  get nonce(): string {
    this.#nonce ??= randomNonce()
    return this.#nonce
  }
}

/** A lease to come, for the worker that asked. */
export const mintSlot = ({ workerId, leaseMs, beats }: Omit<Slot, "nonce">): Slot => ({
  nonce: randomNonce(),
  workerId,
  leaseMs,
  beats,
})

/** All jobs have the same properties in the same order, so that they are read by place and not by name. */
export function toJob(kernel: Kernel, row: LeasedRow, slot: Slot): ClaimedJob {
  const key = jobKeyOf(row)
  const id = jobIdOf(key)
  const isStep = key.kind === "step"
  const queue = queuesOf(kernel).of(row.queue_id)
  const token = row.packed ? { epoch: row.epoch, ...row.packed } : { epoch: row.epoch, nonce: slot.nonce }
  const trace = row.trace_context
  return {
    id,
    jobType: queue?.jobType ?? "",
    // Existing workers read these three of every job.
    instanceId: isStep ? row.instance_id : "",
    stepId: isStep ? row.step_id : "",
    stepExecutionId: isStep ? id : "",
    retriesRemaining: row.retries_left,
    variables: row.variables,
    lockExpiresAt: row.lease_until,
    leaseToken: formatToken(token),
    token,
    attempt: row.epoch,
    priority: queue?.priority ?? "normal",
    definitionId: row.definition_id ?? "",
    businessKey: row.business_key ?? undefined,
    idempotencyKey: row.effect_key ?? id,
    runMs: row.run_ms ?? undefined,
    traceparent: trace === null ? undefined : traceparentOf(trace),
    tracestate: trace === null ? undefined : tracestateOf(trace),
  }
}

export function observePickup(kernel: Kernel, waited: number): void {
  const seconds = Math.max(0, waited)
  kernel.metrics.jobPollLatency.observe(seconds)
  kernel.metrics.jobPickupLatency.observe(seconds)
}
