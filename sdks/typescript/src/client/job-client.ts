// The calls of a worker: poll, complete, fail, heartbeat, exchange.

import type { CallOptions } from "../calls/caller.ts"
import type { OperationCaller, Terms } from "../calls/operation-caller.ts"
import type { ExchangeResult, HeartbeatResult } from "../generated/wire.ts"
import { ClientBase } from "./client-base.ts"
import type {
  CompleteRequest,
  ExchangeRequest,
  FailRequest,
  HeartbeatRequest,
  Job,
  JobCalls,
  PollRequest,
} from "./job-types.ts"

/** The lease token, or else the worker id, makes a repeated report harmless. */
const REPORT: Pick<Terms, "repeat" | "untraced"> = { repeat: "always", untraced: true }

export class JobClient extends ClientBase implements JobCalls {
  readonly #workerId: string | undefined

  constructor(operations: OperationCaller, workerId: string | undefined) {
    super(operations)
    this.#workerId = workerId
  }

  /** Claims jobs. Not repeated by itself: a lost answer may have claimed some, which come back when their lease ends. */
  async poll(request: PollRequest, options?: CallOptions): Promise<readonly Job[]> {
    const waitMs = (request.waitSeconds ?? 0) * 1000
    const terms: Terms = { repeat: "stale-socket", waitMs, untraced: true, options }
    return (await this.operations.send("pollJobs", { body: this.#signed(request) }, terms)).jobs
  }

  async complete(jobId: string, request: CompleteRequest = {}, options?: CallOptions): Promise<void> {
    await this.operations.send("completeJob", this.#report(jobId, request), { ...REPORT, options })
  }

  async fail(jobId: string, request: FailRequest, options?: CallOptions): Promise<void> {
    await this.operations.send("failJob", this.#report(jobId, request), { ...REPORT, options })
  }

  async heartbeat(jobId: string, request: HeartbeatRequest = {}, options?: CallOptions): Promise<HeartbeatResult> {
    return this.operations.send("heartbeatJob", this.#report(jobId, request), { ...REPORT, options })
  }

  /** Reports and asks for more in one round trip. Repeating it by hand is safe for the reports. */
  exchange(request: ExchangeRequest, options?: CallOptions): Promise<ExchangeResult> {
    const reports = (request.completed?.length ?? 0) + (request.failed?.length ?? 0)
    const waitMs = reports > 0 ? 0 : (request.poll?.waitSeconds ?? 0) * 1000
    const terms: Terms = { repeat: request.poll ? "stale-socket" : "always", waitMs, untraced: true, options }
    return this.operations.send("exchangeJobs", { body: this.#signed(request) }, terms)
  }

  #report(jobId: string, request: { readonly workerId?: string }) {
    return { path: { jobId }, body: this.#signed(request) }
  }

  #signed<R extends { readonly workerId?: string }>(request: R): R & { workerId: string } {
    const workerId = request.workerId ?? this.#workerId
    if (!workerId) throw new TypeError("a workerId is needed: give it to the EngineClient or to the call")
    return { ...request, workerId }
  }
}
