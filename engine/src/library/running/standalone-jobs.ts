// Where jobs are handed in from this process, by type or by the element that handles them, looked at, and taken back.
import { isRoutingName } from "../../model/jobs/routing-name.ts"
import { cancelJob } from "../../operations/jobs/end/cancel-job.ts"
import { type Enqueued, type EnqueueRequest, enqueueJob } from "../../operations/jobs/enqueue/enqueue-job.ts"
import { enqueueMany } from "../../operations/jobs/enqueue/enqueue-many.ts"
import { getJob, type JobView } from "../../operations/jobs/read-jobs.ts"
import { type CallersTx, within } from "../../operations/kernel/callers.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { badRequest } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { JsonObject } from "../../support/json.ts"
import { activeTrace } from "../../support/spans.ts"
import { type EnqueueOptions, type JobSettings, toRequest } from "../authoring/enqueue-options.ts"
import { type AnyJob, isJob } from "../authoring/job.ts"
import { validate } from "../authoring/standard-schema.ts"
import { checkText, checkVariables } from "./check-input.ts"
import type { DeclaredDownstreams } from "./declared-downstreams.ts"

/** A job among others, with settings of its own. */
export interface JobItem extends JobSettings {
  readonly type: string | AnyJob
  readonly payload: object
}

export interface EnqueuedJob {
  readonly id: string
  /** It was there already, by its `key`. */
  readonly isRepeat: boolean
}

/** A job as it stands: its payload and its result as they were given. */
export interface JobRecord extends Omit<JobView, "payload" | "result" | "createdAt" | "updatedAt" | "visibleAt"> {
  readonly payload: JsonObject
  readonly result: JsonObject | null
  readonly createdAt: string
  readonly updatedAt: string
  /** When it is due, where it waits for a time. */
  readonly dueAt?: string
}

const ACTOR = "local"

export class StandaloneJobs {
  readonly #kernel: Kernel
  readonly #downstreams: DeclaredDownstreams

  constructor(kernel: Kernel, downstreams: DeclaredDownstreams) {
    this.#kernel = kernel
    this.#downstreams = downstreams
  }

  async enqueue(item: JobItem, tx: CallersTx | undefined): Promise<EnqueuedJob> {
    const request = await this.#request(item)
    return told(await within(this.#kernel, tx, (own) => enqueueJob(this.#kernel, request, own)))
  }

  /** All are judged before the first is enqueued. */
  async enqueueMany(items: readonly JobItem[], tx: CallersTx | undefined): Promise<readonly EnqueuedJob[]> {
    const requests: EnqueueRequest[] = []
    for (const item of items) requests.push(await this.#request(item))
    if (tx === undefined) return (await enqueueMany(this.#kernel, requests)).map(told)
    return within(this.#kernel, tx, async (own) => {
      const jobs: EnqueuedJob[] = []
      for (const request of requests) jobs.push(told(await enqueueJob(this.#kernel, request, own)))
      return jobs
    })
  }

  async get(id: string): Promise<JobRecord> {
    checkText(id, "the job's id")
    const { payload, result, createdAt, updatedAt, visibleAt, ...job } = await getJob(this.#kernel, id)
    return {
      ...job,
      payload: JSON.parse(payload) as JsonObject,
      result: result === null ? null : (JSON.parse(result) as JsonObject),
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
      ...(visibleAt === undefined ? {} : { dueAt: isoTime(visibleAt) }),
    }
  }

  async cancel(id: string, reason: string | undefined, tx: CallersTx | undefined): Promise<void> {
    checkText(id, "the job's id")
    const request = { id, reason, actor: ACTOR }
    await within(this.#kernel, tx, (own) => cancelJob(this.#kernel, request, own))
  }

  async #request({ type, payload, ...settings }: JobItem): Promise<EnqueueRequest> {
    const { name, defaults, input } = elementOf(type)
    const content = checkVariables(payload, "the payload")
    if (input) await validate(input, content, "payload")
    const all = { ...defaults, ...settings }
    const job = { jobType: name, payload: content, actor: ACTOR }
    const request = toRequest(job, all, this.#kernel.settings.jobRetries)
    await this.#downstreams.declare([all.downstream])
    const trace = activeTrace()
    return trace === undefined ? request : { ...request, trace }
  }
}

type Element = Pick<AnyJob, "name"> & Partial<Pick<AnyJob, "defaults" | "input">>

function elementOf(type: unknown): Element {
  if (isJob(type)) return type
  if (isRoutingName(type)) return { name: type }
  throw badRequest(`${JSON.stringify(type)} is no type of jobs: give its name, or what job(…) has returned`)
}

const told = ({ job, isRepeat }: Enqueued): EnqueuedJob => ({ id: job.id, isRepeat })

/** The arguments of `enqueueMany`: a type, payloads and options; or items and options, where each item says its own. */
export function itemsOf(given: readonly unknown[]): { items: readonly JobItem[]; tx: CallersTx | undefined } {
  const [list, options] = Array.isArray(given[0]) ? given : given.slice(1)
  if (!Array.isArray(list))
    throw badRequest("enqueueMany takes a list: (type, payloads), or items with type and payload")
  const { tx, ...shared } = (options ?? {}) as EnqueueOptions
  const own = (each: unknown) => (list === given[0] ? (each as JobItem) : { type: given[0], payload: each })
  return { items: list.map((each) => ({ ...shared, ...own(each) }) as JobItem), tx }
}
