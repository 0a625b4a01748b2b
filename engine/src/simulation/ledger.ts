// What callers and workers were told, outside of the database. What they were told must be true of the database, and of each other.
import type { ClaimedJob } from "../operations/jobs/claim/claimed-job.ts"

export type Verb = "complete" | "fail"
/** `unknown`: the answer was lost, it may have been done or not. */
export type Told = "accepted" | "refused" | "unknown"

interface Report {
  readonly epoch: number
  readonly verb: Verb
  told: Told
}

interface JobRecord {
  /** The latest that a worker was given. */
  epoch: number
  readonly given: Set<number>
  /** When the lease of each epoch ends, by the database's clock, as its holder was told. */
  readonly leases: Map<number, number>
  readonly reports: Report[]
}

/** An accepted submission: the id that every caller with this key was given. */
interface Submission {
  readonly kind: "instance" | "job" | "event"
  readonly id: string
}

export class Ledger {
  readonly violations: string[] = []
  readonly submissions = new Map<string, Submission>()
  readonly cancelled = new Set<string>()
  readonly completedTasks = new Set<string>()
  /** Ids of the events of each key, in the order in which each was received first. */
  readonly received = new Map<string, Set<string>>()
  readonly #seen = new Map<string, unknown>()
  readonly #jobs = new Map<string, JobRecord>()

  violate(what: string): void {
    this.violations.push(what)
  }

  /** A caller got the answer that its submission with this key is accepted. */
  accept(kind: Submission["kind"], key: string, id: string): void {
    const known = this.submissions.get(key)
    if (known && known.id !== id) this.violate(`S3: ${kind} ${key} was told to be ${known.id} and then ${id}`)
    if (!known) this.submissions.set(key, { kind, id })
  }

  idsOf(kind: Submission["kind"]): string[] {
    return [...this.submissions.values()].filter((each) => each.kind === kind).map(({ id }) => id)
  }

  /** What a step has seen of an earlier step. */
  see(what: string, value: unknown): void {
    const known = this.#seen.get(what)
    if (known !== undefined && known !== value) this.violate(`S8: ${what} was seen as ${known}, and then as ${value}`)
    this.#seen.set(what, value)
  }

  receive(id: string, key: string): void {
    const known = this.received.get(key) ?? new Set()
    this.received.set(key, known.add(id))
  }

  /** Call before a claim is asked for, and the result with each job of the answer: a later claim may be answered before it. */
  claim(): (job: ClaimedJob, nowMs: number) => void {
    const cancelled = new Set(this.cancelled)
    const epochs = new Map([...this.#jobs].map(([id, { epoch }]) => [id, epoch]))
    return (job, nowMs) => {
      const record = this.#recordOf(job.id)
      const latest = epochs.get(job.id) ?? 0
      if (job.attempt <= latest)
        this.violate(`S6: ${job.id} was given out with epoch ${job.attempt} after epoch ${latest}`)
      if (record.given.has(job.attempt)) this.violate(`S6: ${job.id} was given out with epoch ${job.attempt} twice`)
      if (isHeld(record, job.attempt - 1, nowMs))
        this.violate(
          `S6: ${job.id} was given out with epoch ${job.attempt} before the lease of the one before had ended`,
        )
      record.given.add(job.attempt)
      this.extend(job, job.lockExpiresAt)
      record.epoch = Math.max(record.epoch, job.attempt)
      if (cancelled.has(job.instanceId) || cancelled.has(job.id))
        this.violate(`S15: ${job.id} was given out after its cancel was answered`)
    }
  }

  /** The holder got the answer that its lease ends at this time. */
  extend(job: ClaimedJob, untilMs: number): void {
    this.#recordOf(job.id).leases.set(job.attempt, untilMs)
  }

  /** Call before the report is sent, and the result with the answer: a report that is refused was still under way meanwhile. */
  report(job: ClaimedJob, verb: Verb): (told: Told) => void {
    const record = this.#recordOf(job.id)
    const earlier = [...record.reports]
    const latest = record.epoch
    const isCancelled = this.cancelled.has(job.instanceId) || this.cancelled.has(job.id)
    const mine: Report = { epoch: job.attempt, verb, told: "unknown" }
    record.reports.push(mine)
    return (told) => {
      mine.told = told
      if (told === "accepted") this.#judge(job.id, { mine, earlier, latest, isCancelled })
    }
  }

  /** How many deliveries of a job have failed, by the reports that were not refused, and by those that were accepted. */
  failuresOf(jobId: string): { readonly possible: number; readonly certain: number } {
    const failures = this.#recordOf(jobId).reports.filter(({ verb, told }) => verb === "fail" && told !== "refused")
    const countOf = (reports: readonly Report[]) => new Set(reports.map(({ epoch }) => epoch)).size
    return { possible: countOf(failures), certain: countOf(failures.filter(({ told }) => told === "accepted")) }
  }

  isCompleted(jobId: string): boolean {
    return this.#recordOf(jobId).reports.some(({ verb, told }) => verb === "complete" && told === "accepted")
  }

  #judge(jobId: string, { mine, earlier, latest, isCancelled }: Judged): void {
    // A repeat of an earlier report gets the outcome of that report.
    const isRepeat = earlier.some(
      (other) => other.epoch === mine.epoch && other.verb === mine.verb && other.told !== "refused",
    )
    if (!isRepeat && mine.epoch < latest)
      this.violate(
        `S7: ${mine.verb} of ${jobId} with epoch ${mine.epoch} was accepted after epoch ${latest} was given out`,
      )
    if (!isRepeat && isCancelled)
      this.violate(`S15: ${mine.verb} of ${jobId} was accepted after its cancel was answered`)
    for (const other of this.#recordOf(jobId).reports) {
      if (other === mine || other.told !== "accepted") continue
      if (other.epoch === mine.epoch && other.verb !== mine.verb)
        this.violate(`S7: ${jobId} with epoch ${mine.epoch} was completed and failed`)
      if (other.epoch !== mine.epoch && other.verb === "complete" && mine.verb === "complete")
        this.violate(`S7: ${jobId} was completed with epochs ${other.epoch} and ${mine.epoch}`)
    }
  }

  #recordOf(jobId: string): JobRecord {
    let record = this.#jobs.get(jobId)
    if (!record) {
      record = { epoch: 0, given: new Set(), leases: new Map(), reports: [] }
      this.#jobs.set(jobId, record)
    }
    return record
  }
}

/** The holder was told of this lease, and has not given it up. */
const isHeld = ({ leases, reports }: JobRecord, epoch: number, nowMs: number): boolean =>
  nowMs < (leases.get(epoch) ?? 0) && !reports.some((report) => report.epoch === epoch && report.told !== "refused")

interface Judged {
  readonly mine: Report
  readonly earlier: readonly Report[]
  readonly latest: number
  readonly isCancelled: boolean
}
