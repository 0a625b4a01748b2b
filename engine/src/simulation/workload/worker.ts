// A worker as bad as workers get: it fails, forgets, is late, reports twice and reports to another engine than it claimed from.
import { parseToken } from "../../model/jobs/reports.ts"
import { claimJobs } from "../../operations/jobs/claim/claim-jobs.ts"
import type { ClaimedJob } from "../../operations/jobs/claim/claimed-job.ts"
import { heartbeatJob } from "../../operations/jobs/claim/heartbeat-job.ts"
import { reportJob } from "../../operations/jobs/end/report-jobs.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import type { Verb } from "../ledger.ts"
import { Caller, sleep } from "./caller.ts"
import { JOB_TYPES, STEP_TYPES } from "./definitions.ts"

const LEASE_MS = 2_000
const OTHER_NONCE = "00000000-0000-4000-8000-000000000000"
const JOB_TYPES_OF_ALL = [...STEP_TYPES, ...JOB_TYPES]

export class SimulatedWorker extends Caller {
  #number = 0

  async work(workerId: string): Promise<void> {
    for (;;) {
      const jobs = await this.#claim(workerId)
      for (const job of jobs) void this.#handle(workerId, job)
      await sleep(jobs.length > 0 ? this.dice.between(1, 300) : this.dice.between(200, 1_000))
    }
  }

  async #claim(workerId: string): Promise<readonly ClaimedJob[]> {
    const note = this.ledger.claim()
    const maxJobs = this.dice.between(1, 4)
    const waitMs = this.dice.pick([0, 0, 500])
    const answer = await this.ask((kernel) =>
      claimJobs(kernel, { workerId, jobTypes: JOB_TYPES_OF_ALL, maxJobs, leaseMs: LEASE_MS, waitMs }),
    )
    if (answer.kind !== "ok") return []
    for (const job of answer.value) note(job, this.#nowMs)
    return answer.value
  }

  /** By the database's clock. Where that is set back, a lease may have ended at a time that is yet to come. */
  get #nowMs(): number {
    const { time, profile } = this.simulation
    return profile.stepsBack && profile.clockSteps > 0 ? Number.POSITIVE_INFINITY : time.databaseMs
  }

  async #handle(workerId: string, job: ClaimedJob): Promise<void> {
    const { isHealed } = this.simulation
    await sleep(this.dice.between(1, 400))
    if (JSON.parse(job.variables).isPoison || (!isHealed && this.dice.chance(0.08))) return
    if (this.dice.chance(0.15)) await this.#beat(workerId, job)
    if (!isHealed && this.dice.chance(0.25)) await this.#beatAfterTheEnd(workerId, job)
    if (!isHealed && this.dice.chance(0.15)) await sleep(LEASE_MS + this.dice.between(0, 4_000))
    const verb: Verb = this.dice.chance(isHealed ? 0 : 0.25) ? "fail" : "complete"
    const retryable = this.dice.chance(0.8)
    const report = () => this.#report(workerId, job, { verb, retryable })
    const together = [report()]
    if (this.dice.chance(0.25)) together.push(report())
    if (this.dice.chance(0.1)) together.push(this.#forge(workerId, job))
    await Promise.all(together)
    if (this.dice.chance(0.1)) await this.#late(workerId, job, retryable)
  }

  /** Once more, long after; sometimes it has changed its mind. */
  async #late(workerId: string, job: ClaimedJob, retryable: boolean): Promise<void> {
    await sleep(this.dice.between(100, 5_000))
    await this.#report(workerId, job, { verb: this.dice.pick(["complete", "fail"]), retryable })
  }

  async #beat(workerId: string, job: ClaimedJob): Promise<void> {
    const token = parseToken(job.leaseToken)
    const answer = await this.ask((kernel) => heartbeatJob(kernel, { jobId: job.id, workerId, token }))
    if (answer.kind === "ok") this.ledger.extend(job, answer.value)
  }

  /** The lease has ended, and the sweep may have it on its list. If it is not taken back yet, it is extended, and the work goes on. */
  async #beatAfterTheEnd(workerId: string, job: ClaimedJob): Promise<void> {
    await sleep(Math.max(0, job.lockExpiresAt - this.simulation.time.databaseMs) + this.dice.between(0, 1_000))
    await this.#beat(workerId, job)
    await sleep(this.dice.between(0, LEASE_MS))
  }

  /** With the number of the delivery and another secret, as one has it whose delivery was lost with the tail of a database. */
  async #forge(workerId: string, { id: jobId, attempt: epoch }: ClaimedJob): Promise<void> {
    const claimant = { jobId, workerId, token: { epoch, nonce: OTHER_NONCE }, actor: workerId }
    const answer = await this.ask((kernel) => reportJob(kernel, { verb: "complete", ...claimant, variables: {} }))
    if (answer.kind === "ok" && answer.value === "accepted")
      this.ledger.violate(`S7: ${jobId} with epoch ${epoch} was completed without its secret`)
  }

  async #report(workerId: string, job: ClaimedJob, { verb, retryable }: Choice): Promise<void> {
    const claimant = { jobId: job.id, workerId, token: parseToken(job.leaseToken), actor: workerId }
    const variables = { [job.stepId || "result"]: ++this.#number }
    const settle = this.ledger.report(job, verb)
    const send = (kernel: Kernel) =>
      verb === "complete"
        ? reportJob(kernel, { verb, ...claimant, variables })
        : reportJob(kernel, { verb, ...claimant, message: "as drawn", retryable, retryAfterMs: undefined })
    const answer = await (this.dice.chance(0.7) ? this.insist(send) : this.ask(send))
    settle(
      answer.kind === "ok" && answer.value === "accepted"
        ? "accepted"
        : answer.kind === "unknown"
          ? "unknown"
          : "refused",
    )
  }
}

interface Choice {
  readonly verb: Verb
  readonly retryable: boolean
}
