// Where jobs are handed in from this process, by type or by the element that handles them.
import { type Enqueued, type EnqueueRequest, enqueueJob } from "../../operations/jobs/enqueue/enqueue-job.ts"
import { enqueueMany } from "../../operations/jobs/enqueue/enqueue-many.ts"
import { type CallersTx, within } from "../../operations/kernel/callers.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { badRequest } from "../../support/errors.ts"
import { activeTrace } from "../../support/spans.ts"
import { type EnqueueOptions, type JobSettings, toRequest } from "../authoring/enqueue-options.ts"
import { type AnyJob, isJob } from "../authoring/job.ts"
import { validate } from "../authoring/standard-schema.ts"
import { EnqueuedJob } from "../handles/job-handle.ts"
import { jobTypeOf } from "../handles/list-options.ts"
import { checkVariables } from "./check-input.ts"
import type { DeclaredDownstreams } from "./declared-downstreams.ts"

/** A job among others, with settings of its own. */
export interface JobItem extends JobSettings {
  readonly type: string | AnyJob
  readonly payload: object
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
    return this.#handleOf(await within(this.#kernel, tx, (own) => enqueueJob(this.#kernel, request, own)))
  }

  /** All are judged before the first is enqueued. */
  async enqueueMany(items: readonly JobItem[], tx: CallersTx | undefined): Promise<readonly EnqueuedJob[]> {
    const requests: EnqueueRequest[] = []
    for (const item of items) requests.push(await this.#request(item))
    const enqueued = await within(this.#kernel, tx, (own) => enqueueMany(this.#kernel, requests, own))
    return enqueued.map((each) => this.#handleOf(each))
  }

  #handleOf({ job, isRepeat }: Enqueued): EnqueuedJob {
    return new EnqueuedJob(this.#kernel, job.id, isRepeat)
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

const elementOf = (type: unknown): Element => (isJob(type) ? type : { name: jobTypeOf(type) })

/** The arguments of `enqueueMany`: a type, payloads and options; or items and options, where each item says its own. */
export function itemsOf(given: readonly unknown[]): { items: readonly JobItem[]; tx: CallersTx | undefined } {
  const [list, options] = Array.isArray(given[0]) ? given : given.slice(1)
  if (!Array.isArray(list))
    throw badRequest("enqueueMany takes a list: (type, payloads), or items with type and payload")
  const { tx, ...shared } = (options ?? {}) as EnqueueOptions
  const own = (each: unknown) => (list === given[0] ? (each as JobItem) : { type: given[0], payload: each })
  return { items: list.map((each) => ({ ...shared, ...own(each) }) as JobItem), tx }
}
