// Jobs as a whole: one by its id or its key, those under way and those that have ended, and a way to take one back.
import { PRIORITIES, type Priority } from "../../model/definitions/definition.ts"
import { findJobByKey } from "../../operations/jobs/find-job-by-key.ts"
import { ENDED_STATUSES, type EndedJobView, listEndedJobs } from "../../operations/jobs/list-ended-jobs.ts"
import { LISTED_STATUSES, type ListedJobView, listJobs } from "../../operations/jobs/list-jobs.ts"
import { getJob } from "../../operations/jobs/read-jobs.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { checkKnown } from "../authoring/check-authoring.ts"
import type { AnyJob, JobResult } from "../authoring/job.ts"
import { tellInCatalogue } from "../running/catalogue-errors.ts"
import { checkText } from "../running/check-input.ts"
import { type CancelOptions, JobHandle } from "./job-handle.ts"
import { type JobRecord, recordOf } from "./job-record.ts"
import { checkWord, type JobType, jobTypeOf } from "./list-options.ts"
import { OF_A_PAGE, Page, type PageOptions } from "./page.ts"

interface AnyJobFilter extends PageOptions {
  readonly type?: JobType | undefined
  readonly priority?: Priority | undefined
  /** Standalone jobs that were enqueued with a key that begins so: in the order of their types and keys. */
  readonly keyPrefix?: string | undefined
}

export interface JobFilter extends AnyJobFilter {
  /** "ready" for a worker; "leased" by one; "delayed" until a time; "held" for a signal or its turn under a limit. "ready" */
  readonly status?: (typeof LISTED_STATUSES)[number] | undefined
}

export interface EndedJobFilter extends AnyJobFilter {
  /** "ended": however it has ended. */
  readonly status: (typeof ENDED_STATUSES)[number] | "ended"
}

const STATUSES = [...LISTED_STATUSES, ...ENDED_STATUSES, "ended"] as const
const hasEnded = (filter: JobFilter | EndedJobFilter): filter is EndedJobFilter =>
  !(LISTED_STATUSES as readonly unknown[]).includes(filter.status ?? "ready")

export class Jobs {
  static {
    tellInCatalogue(Jobs)
  }
  readonly #kernel: Kernel

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Reads nothing: a job that is not there is `not-found` at the first call of the handle. With its element the handle is typed by it. */
  handle(id: string): JobHandle
  handle<Of extends AnyJob>(job: Of, id: string): JobHandle<JobResult<Of>>
  handle(...given: readonly unknown[]): JobHandle {
    const id = given.length > 1 ? given[1] : given[0]
    if (given.length > 1) jobTypeOf(given[0])
    checkText(id, "the job's id")
    return new JobHandle(this.#kernel, id as string)
  }

  async get(id: string): Promise<JobRecord> {
    checkText(id, "the job's id")
    return recordOf(await getJob(this.#kernel, id))
  }

  /** The job that was enqueued with this key; a key belongs to its type. Undefined where there is none. */
  async find(of: { readonly type: JobType; readonly key: string }): Promise<JobRecord | undefined> {
    checkKnown("a job by its key", of, ["type", "key"])
    const { type, key } = of
    checkText(key, "key")
    const found = await findJobByKey(this.#kernel, jobTypeOf(type), key)
    return found && recordOf(found)
  }

  /**
   * Jobs that have not ended, those of steps too: in the order in which they are served, or fall due. With a status of the end, standalone
   * jobs that have ended: newest first.
   */
  async list(filter?: JobFilter): Promise<Page<ListedJobView>>
  async list(filter: EndedJobFilter): Promise<Page<EndedJobView>>
  async list(filter: JobFilter | EndedJobFilter = {}): Promise<Page<ListedJobView> | Page<EndedJobView>> {
    checkKnown("a list of jobs", filter, ["status", "type", "priority", "keyPrefix", ...OF_A_PAGE])
    const { type, priority, keyPrefix, cursor, pageSize } = filter
    checkWord(filter.status, "status", STATUSES)
    checkWord(priority, "priority", PRIORITIES)
    if (keyPrefix !== undefined) checkText(keyPrefix, "keyPrefix")
    const query = { priority, keyPrefix, jobType: type === undefined ? undefined : jobTypeOf(type) }
    if (hasEnded(filter)) {
      const status = filter.status === "ended" ? undefined : filter.status
      return Page.read({ cursor, pageSize }, (from, size) =>
        listEndedJobs(this.#kernel, { ...query, status, cursor: from, pageSize: size }),
      )
    }
    const { status = "ready" } = filter
    return Page.read({ cursor, pageSize }, (from, size) =>
      listJobs(this.#kernel, { ...query, status, cursor: from, pageSize: size }),
    )
  }

  /** What a worker still has of it no longer counts. */
  async cancel(id: string, options?: CancelOptions): Promise<void> {
    return this.handle(id).cancel(options)
  }
}
