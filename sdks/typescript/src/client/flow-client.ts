// What steers the queue while the engine runs: weights, watermarks, pauses, downstreams, job types; and who works.

import type { CallOptions } from "../calls/caller.ts"
import type { ChangeOptions, OperationCaller } from "../calls/operation-caller.ts"
import { toCamel } from "../calls/snake-case.ts"
import type {
  Downstream,
  DownstreamLimits,
  JobType,
  JobTypeSettings,
  Pause,
  PauseKind,
  PauseRequest,
  Priority,
  Reason,
  Watermarks,
  Weights,
  WorkerList,
} from "../generated/wire.ts"
import type { QueueMetrics, WatermarksInForce, WeightsInForce } from "./queue-types.ts"

export class FlowClient {
  readonly #operations: OperationCaller

  constructor(operations: OperationCaller) {
    this.#operations = operations
  }

  /** Depths, watermarks, and whether jobs are accepted. */
  async metrics(options?: CallOptions): Promise<QueueMetrics> {
    return toCamel(await this.#operations.call("getQueueMetrics", {}, options))
  }

  async weights(options?: CallOptions): Promise<WeightsInForce> {
    return toCamel(await this.#operations.call("getWeights", {}, options))
  }

  /** Whole numbers that add up to 100. In force everywhere when this resolves. */
  async setWeights(weights: Weights, options?: ChangeOptions): Promise<WeightsInForce> {
    return toCamel(await this.#operations.call("setWeights", { body: weights }, options))
  }

  async resetWeights(options?: ChangeOptions): Promise<void> {
    await this.#operations.call("resetWeights", {}, options)
  }

  async watermarks(options?: CallOptions): Promise<WatermarksInForce> {
    return toCamel(await this.#operations.call("getWatermarks", {}, options))
  }

  async setWatermarks(marks: Watermarks, options?: ChangeOptions): Promise<WatermarksInForce> {
    return toCamel(await this.#operations.call("setWatermarks", { body: marks }, options))
  }

  async resetWatermarks(options?: ChangeOptions): Promise<void> {
    await this.#operations.call("resetWatermarks", {}, options)
  }

  async pauseQueue(name: Priority, reason?: string, options?: ChangeOptions): Promise<void> {
    await this.#operations.call("pauseQueue", { path: { name }, body: because(reason) }, options)
  }

  async resumeQueue(name: Priority, reason?: string, options?: ChangeOptions): Promise<void> {
    await this.#operations.call("resumeQueue", { path: { name }, body: because(reason) }, options)
  }

  async pauses(options?: CallOptions): Promise<readonly Pause[]> {
    return (await this.#operations.call("listPauses", {}, options)).items
  }

  /** Pauses a queue, a job type, a definition or a downstream: its jobs are taken in, but not handed out. */
  pause(what: PauseRequest, options?: ChangeOptions): Promise<Pause> {
    return this.#operations.call("pause", { body: what }, options)
  }

  resume(kind: PauseKind, name: string, options?: ChangeOptions): Promise<void> {
    return this.#operations.call("resume", { path: { kind, name } }, options)
  }

  async downstreams(options?: CallOptions): Promise<readonly Downstream[]> {
    return (await this.#operations.call("listDownstreams", {}, options)).items
  }

  downstream(name: string, options?: CallOptions): Promise<Downstream> {
    return this.#operations.call("getDownstream", { path: { name } }, options)
  }

  /** These limits and no others: what is left out is not limited. */
  setDownstream(name: string, limits: DownstreamLimits, options?: ChangeOptions): Promise<Downstream> {
    return this.#operations.call("setDownstream", { path: { name }, body: limits }, options)
  }

  deleteDownstream(name: string, options?: ChangeOptions): Promise<void> {
    return this.#operations.call("deleteDownstream", { path: { name } }, options)
  }

  async jobTypes(options?: CallOptions): Promise<readonly JobType[]> {
    return (await this.#operations.call("listJobTypes", {}, options)).items
  }

  /** `timeout`: how long one attempt may run, for jobs that name none. */
  setJobType(name: string, settings: JobTypeSettings, options?: ChangeOptions): Promise<JobType> {
    return this.#operations.call("setJobType", { path: { name }, body: settings }, options)
  }

  workers(options?: CallOptions): Promise<WorkerList> {
    return this.#operations.call("listWorkers", {}, options)
  }
}

const because = (reason: string | undefined): Reason => (reason === undefined ? {} : { reason })
