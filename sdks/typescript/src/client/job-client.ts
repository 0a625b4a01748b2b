// The calls of a worker over REST: poll, complete, fail, heartbeat, exchange.

import type { ExchangeResult, HeartbeatResult, PollResult } from "../generated/wire.ts"
import type { Caller, CallOptions } from "../http/caller.ts"
import type {
  CompleteRequest,
  ExchangeRequest,
  FailRequest,
  HeartbeatRequest,
  Job,
  JobCalls,
  PollRequest,
} from "./job-types.ts"

export class JobClient implements JobCalls {
  /** Not for callers of the package. */
  protected readonly caller: Caller
  readonly #workerId: string | undefined

  constructor(caller: Caller, workerId: string | undefined) {
    this.caller = caller
    this.#workerId = workerId
  }

  /** Claims jobs. Not repeated by itself: a lost answer may have claimed some, which come back when their lease ends. */
  async poll(request: PollRequest, options?: CallOptions): Promise<readonly Job[]> {
    const answer = await this.caller.call<PollResult>({
      method: "POST",
      path: "/v1/jobs/poll",
      body: this.#signed(request),
      repeat: "stale-socket",
      waitMs: (request.waitSeconds ?? 0) * 1000,
      untraced: true,
      options,
    })
    return answer.jobs
  }

  async complete(jobId: string, request: CompleteRequest = {}, options?: CallOptions): Promise<void> {
    await this.#report(jobId, "complete", request, options)
  }

  async fail(jobId: string, request: FailRequest, options?: CallOptions): Promise<void> {
    await this.#report(jobId, "fail", request, options)
  }

  async heartbeat(jobId: string, request: HeartbeatRequest = {}, options?: CallOptions): Promise<HeartbeatResult> {
    return this.#report(jobId, "heartbeat", request, options)
  }

  /** Reports and asks for more in one round trip. Repeating it by hand is safe for the reports. */
  exchange(request: ExchangeRequest, options?: CallOptions): Promise<ExchangeResult> {
    const reports = (request.completed?.length ?? 0) + (request.failed?.length ?? 0)
    return this.caller.call({
      method: "POST",
      path: "/v1/jobs/exchange",
      body: this.#signed(request),
      repeat: request.poll ? "stale-socket" : "always",
      waitMs: reports > 0 ? 0 : (request.poll?.waitSeconds ?? 0) * 1000,
      untraced: true,
      options,
    })
  }

  /** The lease token, or else the worker id, makes a repeated report harmless. */
  #report<T>(jobId: string, verb: string, request: { workerId?: string }, options?: CallOptions): Promise<T> {
    const path = `/v1/jobs/${encodeURIComponent(jobId)}/${verb}`
    const body = this.#signed(request)
    return this.caller.call({ method: "POST", path, body, repeat: "always", untraced: true, options })
  }

  #signed<R extends { readonly workerId?: string }>(request: R): R & { workerId: string } {
    const workerId = request.workerId ?? this.#workerId
    if (!workerId) throw new TypeError("a workerId is needed: give it to the EngineClient or to the call")
    return { ...request, workerId }
  }
}
