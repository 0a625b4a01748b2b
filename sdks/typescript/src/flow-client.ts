// What steers the queue while the engine runs: weights, watermarks, pauses, downstreams, job types; and who works.
import type { CallOptions } from "./caller.ts"
import type { Priority } from "./definition-types.ts"
import { at } from "./paths.ts"
import type {
  Downstream,
  DownstreamLimits,
  GateName,
  JobType,
  Pause,
  PauseKind,
  QueueMetrics,
  Source,
  Watermark,
  Weights,
  Workers,
} from "./queue-types.ts"
import { toCamel } from "./snake-case.ts"
import type { ChangeOptions, Wire } from "./wire.ts"

type InForce<T> = T & { readonly source: Source }
type Marks = Readonly<Record<GateName, InForce<Watermark>>>

export class FlowClient {
  readonly #wire: Wire

  constructor(wire: Wire) {
    this.#wire = wire
  }

  /** Depths, watermarks, and whether jobs are accepted. */
  async metrics(options?: CallOptions): Promise<QueueMetrics> {
    return toCamel(await this.#wire.get("/queues/metrics", {}, options))
  }

  weights(options?: CallOptions): Promise<InForce<Weights>> {
    return this.#wire.get("/queues/weights", {}, options)
  }

  /** Whole numbers that add up to 100. In force everywhere when this resolves. */
  setWeights(weights: Weights, options?: ChangeOptions): Promise<InForce<Weights>> {
    return this.#wire.change("PATCH", "/queues/weights", weights, options)
  }

  async resetWeights(options?: ChangeOptions): Promise<void> {
    await this.#wire.change("DELETE", "/queues/weights", undefined, options)
  }

  watermarks(options?: CallOptions): Promise<Marks> {
    return this.#wire.get("/queues/watermarks", {}, options)
  }

  setWatermarks(marks: Partial<Record<GateName, Watermark>>, options?: ChangeOptions): Promise<Marks> {
    return this.#wire.change("PUT", "/queues/watermarks", marks, options)
  }

  async resetWatermarks(options?: ChangeOptions): Promise<void> {
    await this.#wire.change("DELETE", "/queues/watermarks", undefined, options)
  }

  async pauseQueue(name: Priority, reason?: string, options?: ChangeOptions): Promise<void> {
    await this.#wire.post(at`/queues/${name}/pause`, { reason }, options)
  }

  async resumeQueue(name: Priority, reason?: string, options?: ChangeOptions): Promise<void> {
    await this.#wire.post(at`/queues/${name}/resume`, { reason }, options)
  }

  async pauses(options?: CallOptions): Promise<readonly Pause[]> {
    return (await this.#wire.get<{ items: readonly Pause[] }>("/v1/pauses", {}, options)).items
  }

  /** Of a queue, a job type, a definition or a downstream: its jobs are taken in, and not handed out. */
  pause(kind: PauseKind, name: string, reason?: string, options?: ChangeOptions): Promise<Pause> {
    return this.#wire.post("/v1/pauses", { kind, name, reason }, options)
  }

  resume(kind: PauseKind, name: string, options?: ChangeOptions): Promise<void> {
    return this.#wire.change("DELETE", at`/v1/pauses/${kind}/${name}`, undefined, options)
  }

  async downstreams(options?: CallOptions): Promise<readonly Downstream[]> {
    return (await this.#wire.get<{ items: readonly Downstream[] }>("/v1/downstreams", {}, options)).items
  }

  downstream(name: string, options?: CallOptions): Promise<Downstream> {
    return this.#wire.get(at`/v1/downstreams/${name}`, {}, options)
  }

  /** These limits and no others: what is left out is not limited. */
  setDownstream(name: string, limits: DownstreamLimits, options?: ChangeOptions): Promise<Downstream> {
    return this.#wire.change("PUT", at`/v1/downstreams/${name}`, limits, options)
  }

  deleteDownstream(name: string, options?: ChangeOptions): Promise<void> {
    return this.#wire.change("DELETE", at`/v1/downstreams/${name}`, undefined, options)
  }

  async jobTypes(options?: CallOptions): Promise<readonly JobType[]> {
    return (await this.#wire.get<{ items: readonly JobType[] }>("/v1/job-types", {}, options)).items
  }

  /** `timeout`: how long one attempt may run, for jobs that name none. */
  setJobType(name: string, settings: { readonly timeout?: string }, options?: ChangeOptions): Promise<JobType> {
    return this.#wire.change("PUT", at`/v1/job-types/${name}`, settings, options)
  }

  workers(options?: CallOptions): Promise<Workers> {
    return this.#wire.get("/v1/workers", {}, options)
  }
}
