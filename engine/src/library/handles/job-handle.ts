// A job that stands alone, as you hold it: its result, how it stands, and a way to take it back. Nothing is read before it is asked.
import { explainJobWaiting, type WaitingReason } from "../../operations/instances/explain-waiting.ts"
import { cancelJob } from "../../operations/jobs/end/cancel-job.ts"
import { getJob } from "../../operations/jobs/read-jobs.ts"
import { within } from "../../operations/kernel/callers.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { checkKnown } from "../authoring/check-authoring.ts"
import { tellInCatalogue } from "../running/catalogue-errors.ts"
import type { Within } from "./answer-types.ts"
import { type JobRecord, recordOf } from "./job-record.ts"
import { type BadEnd, JobFailedError } from "./run-failed-error.ts"
import { type WaitTime, waitForEnd } from "./wait-for-end.ts"

export interface CancelOptions extends Within {
  readonly reason?: string | undefined
}

const ACTOR = "local"
const OPEN: readonly string[] = ["PENDING", "RUNNING"] satisfies JobRecord["status"][]

export class JobHandle<Result = unknown> {
  static {
    tellInCatalogue(JobHandle)
  }
  readonly id: string
  readonly #kernel: Kernel

  constructor(kernel: Kernel, id: string) {
    this.#kernel = kernel
    this.id = id
  }

  /**
   * What the handler returned; undefined where it was nothing. Waits for the end. Rejects with a JobFailedError when the job has failed
   * for good or was cancelled, and with `unavailable` when `timeoutMs` have passed.
   */
  async result(time?: WaitTime): Promise<Result> {
    const { id, status, error, result } = await this.ended(time)
    if (status !== "COMPLETED") throw new JobFailedError({ id, status: status as BadEnd, reason: error ?? undefined })
    return (result ?? undefined) as Result
  }

  /** Resolves when the job has ended, well or badly, with how it stands then. */
  ended(time?: WaitTime): Promise<JobRecord> {
    const read = () => this.#read()
    const hasEnded = ({ status }: JobRecord) => !OPEN.includes(status)
    return waitForEnd(this.#kernel, { id: this.id, what: "job", read, hasEnded }, time)
  }

  async status(): Promise<JobRecord["status"]> {
    return (await this.#read()).status
  }

  /** Why it does not move. */
  waiting(): Promise<readonly WaitingReason[]> {
    return explainJobWaiting(this.#kernel, this.id)
  }

  /** What a worker still has of it no longer counts. */
  async cancel(options: CancelOptions = {}): Promise<void> {
    checkKnown("cancelling a job", options, ["reason", "tx"])
    const { reason, tx } = options
    const request = { id: this.id, reason, actor: ACTOR }
    await within(this.#kernel, tx, (own) => cancelJob(this.#kernel, request, own))
  }

  async #read(): Promise<JobRecord> {
    return recordOf(await getJob(this.#kernel, this.id))
  }
}

/** What `enqueue` gives back. */
export class EnqueuedJob<Result = unknown> extends JobHandle<Result> {
  /** The job was there already, found by its `key`. */
  readonly isRepeat: boolean

  constructor(kernel: Kernel, id: string, isRepeat: boolean) {
    super(kernel, id)
    this.isRepeat = isRepeat
  }
}
