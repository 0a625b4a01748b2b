// Where jobs are handed in from this process, by type or by the element that handles them.
import { type Enqueued, type EnqueueRequest, enqueueJob } from "../../operations/jobs/enqueue/enqueue-job.ts"
import { enqueueMany } from "../../operations/jobs/enqueue/enqueue-many.ts"
import { type CallersTx, within } from "../../operations/kernel/callers.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { badRequest } from "../../support/errors.ts"
import { type EnqueueOptions, type JobSettings, saidOfJob, toRequest } from "../authoring/enqueue-options.ts"
import { type AnyJob, isJob } from "../authoring/job.ts"
import { validate } from "../authoring/standard-schema.ts"
import { EnqueuedJob } from "../handles/job-handle.ts"
import { jobTypeOf } from "../handles/list-options.ts"
import { checkPayload } from "./check-input.ts"
import type { DeclaredDownstreams } from "./declared-downstreams.ts"

/** A job among others, with settings of its own. */
export interface JobItem extends JobSettings {
  readonly type: string | AnyJob
  readonly payload: object
}

/** A payload, and what is said of its job: the same object for all that share it. */
interface Entry {
  readonly payload: unknown
  readonly said: Omit<JobItem, "payload">
}

const ACTOR = "local"

export class StandaloneJobs {
  readonly #kernel: Kernel
  readonly #downstreams: DeclaredDownstreams

  constructor(kernel: Kernel, downstreams: DeclaredDownstreams) {
    this.#kernel = kernel
    this.#downstreams = downstreams
  }

  async enqueue({ payload, said }: Entry, tx: CallersTx | undefined): Promise<EnqueuedJob> {
    const request = this.#request(said, checkPayload(payload, "the payload"))
    if (request.downstream !== undefined) await this.#declare(said)
    if (isJob(said.type)) await fit(said.type, request.payload as string)
    return this.#handleOf(await within(this.#kernel, tx, (own) => enqueueJob(this.#kernel, request, own)))
  }

  /** All are judged before the first is enqueued; what is said of several jobs is judged once. */
  async enqueueMany(entries: readonly Entry[], tx: CallersTx | undefined): Promise<readonly EnqueuedJob[]> {
    const requests: EnqueueRequest[] = []
    let last: { readonly said: Entry["said"]; readonly request: EnqueueRequest } | undefined
    for (const [index, { payload, said }] of entries.entries()) {
      if (said !== last?.said) {
        last = { said, request: this.#request(said, "") }
        if (last.request.downstream !== undefined) await this.#declare(said)
      }
      const text = checkPayload(payload, `the payload of [${index}]`)
      if (isJob(said.type)) await fit(said.type, text)
      requests.push({ ...last.request, payload: text })
    }
    const enqueued = await within(this.#kernel, tx, (own) => enqueueMany(this.#kernel, requests, own))
    return enqueued.map((each) => this.#handleOf(each))
  }

  #handleOf({ job, isRepeat }: Enqueued): EnqueuedJob {
    return new EnqueuedJob(this.#kernel, job.id, isRepeat)
  }

  #request({ type, ...settings }: Entry["said"], payload: string): EnqueueRequest {
    const { jobRetries } = this.#kernel.settings
    const job = { jobType: jobTypeOf(type), payload, actor: ACTOR }
    if (!isJob(type)) return toRequest(job, settings, jobRetries)
    const request = toRequest(job, { ...type.defaults, ...settings }, jobRetries)
    return settings.key === undefined ? request : { ...request, said: saidOfJob(settings, jobRetries) }
  }

  #declare({ type, downstream }: Entry["said"]): Promise<void> {
    return this.#downstreams.declare([downstream ?? (isJob(type) ? type.defaults.downstream : undefined)])
  }
}

/** The job's own validator has the last word on a payload. */
async function fit({ input }: AnyJob, payload: string): Promise<void> {
  if (input) await validate(input, JSON.parse(payload), "payload")
}

/** The arguments of `enqueueMany`: a type, payloads and options; or items and options, where each item says its own. */
export function entriesOf(given: readonly unknown[]): { entries: readonly Entry[]; tx: CallersTx | undefined } {
  const [list, options] = Array.isArray(given[0]) ? given : given.slice(1)
  if (!Array.isArray(list))
    throw badRequest("enqueueMany takes a list: (type, payloads), or items with type and payload")
  const { tx, ...shared } = (options ?? {}) as EnqueueOptions
  const said = { ...shared, type: given[0] } as Entry["said"]
  const entryOf = ({ payload, ...own }: JobItem): Entry => ({ payload, said: { ...shared, ...own } })
  return { entries: list.map((each) => (list === given[0] ? entryOf(each) : { payload: each, said })), tx }
}
