// The client of an engine: everything a worker, a service or an operator asks of it over REST.
import { Caller, type CallOptions, type TraceContext } from "./caller.ts"
import { type Clock, monotonicClock } from "./clock.ts"
import { DeadLetterClient } from "./dead-letter-client.ts"
import type { Definition, StoredDefinition } from "./definition-types.ts"
import { FlowClient } from "./flow-client.ts"
import { HttpTransport } from "./http-transport.ts"
import { JobClient } from "./job-client.ts"
import { type Answer, type AskedArguments, callOperation, type OperationId } from "./operation-call.ts"
import { followCursor } from "./pages.ts"
import { at, type QueryValue } from "./paths.ts"
import type { EnqueueOptions, NewJob, StandaloneJob } from "./queue-types.ts"
import { ScheduleClient } from "./schedule-client.ts"
import { toCamel, toSnake } from "./snake-case.ts"
import { type ChangeOptions, Wire } from "./wire.ts"
import type {
  AuditEntry,
  Bulk,
  BulkRequest,
  DefinitionPage,
  DefinitionSummary,
  Instance,
  InstanceFilter,
  InstancePage,
  StartInstance,
  StepExecution,
  TakenIn,
  UserTask,
  UserTaskFilter,
  UserTaskPage,
  Variables,
  WaitingReason,
  Woken,
} from "./wire-types.ts"

export interface EngineClientOptions {
  /** Such as `http://127.0.0.1:8080`; a path prefix is kept. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  /** Used by poll, complete, fail, heartbeat and exchange when the call names none. */
  readonly workerId?: string | undefined
  /** For a call with its repeats; default 60 000. A long poll adds its wait. */
  readonly timeoutMs?: number | undefined
  /** For one attempt; default 30 000. */
  readonly attemptTimeoutMs?: number | undefined
  /** Of a call that may be repeated; default 5, 1 turns repeats off. */
  readonly maxAttempts?: number | undefined
  /** Connections for calls that do not wait; default 64. */
  readonly maxSockets?: number | undefined
  /** Give each changing call an `Idempotency-Key` of its own, so that it can be repeated safely; default true. */
  readonly autoIdempotencyKeys?: boolean | undefined
  /** Asked at every call that is not a worker's own: sent along, so that what the call starts goes on with the trace. */
  readonly traceContext?: (() => TraceContext | undefined) | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

export interface IntakeOptions extends CallOptions {
  /** The submission's own name, the same for every repeat; it holds as long as the instance lives. */
  readonly key: string
  /** An event the run may have to wait for; see `wake`. */
  readonly linkingId?: string | undefined
}

type Paging = { readonly pageSize?: number; readonly cursor?: string }

export class EngineClient extends JobClient {
  /** What another thread needs to speak to the same engine. */
  readonly options: EngineClientOptions
  readonly #transport: HttpTransport
  readonly #wire: Wire
  /** Weights, watermarks, pauses, downstreams, and how the queue stands. */
  readonly queues: FlowClient
  readonly deadLetters: DeadLetterClient
  readonly schedules: ScheduleClient

  constructor(options: EngineClientOptions) {
    const transport = new HttpTransport(options.baseUrl, options.maxSockets ?? 64)
    const caller = new Caller({
      transport,
      apiKey: options.apiKey,
      timeoutMs: options.timeoutMs ?? 60_000,
      attemptTimeoutMs: options.attemptTimeoutMs ?? 30_000,
      maxAttempts: options.maxAttempts ?? 5,
      clock: options.clock ?? monotonicClock,
      traceContext: options.traceContext,
    })
    super(caller, options.workerId)
    this.options = options
    this.#transport = transport
    this.#wire = new Wire(caller, options.autoIdempotencyKeys !== false)
    this.queues = new FlowClient(this.#wire)
    this.deadLetters = new DeadLetterClient(this.#wire)
    this.schedules = new ScheduleClient(this.#wire)
  }

  /** Puts a job into the queue, for the workers of its type. */
  async enqueue<P extends object = Variables>(
    type: string,
    payload: P,
    { idempotencyKey, signal, timeoutMs, maxAttempts, ...job }: EnqueueOptions & ChangeOptions = {},
  ): Promise<StandaloneJob<P>> {
    const options = { idempotencyKey, signal, timeoutMs, maxAttempts }
    return toCamel(await this.#wire.post("/jobs", toSnake({ ...job, type, payload }) as object, options))
  }

  /** Up to 1000 jobs, each as in `enqueue`: their ids, in this order. */
  async enqueueMany(jobs: readonly NewJob<object>[], options?: ChangeOptions): Promise<readonly string[]> {
    const body = { jobs: toSnake(jobs) }
    return (await this.#wire.post<{ ids: readonly string[] }>("/jobs/bulk", body, options)).ids
  }

  async getJob<P extends object = Variables, R extends object = Variables>(
    id: string,
    options?: CallOptions,
  ): Promise<StandaloneJob<P, R>> {
    return toCamel(await this.#get(at`/jobs/${id}`, {}, options))
  }

  async cancelJob(
    id: string,
    request: { readonly reason?: string } = {},
    options?: ChangeOptions,
  ): Promise<StandaloneJob> {
    return toCamel(await this.#change(at`/jobs/${id}/cancel`, request, options))
  }

  /** Why a job is not moving. */
  async getJobWaiting(id: string, options?: CallOptions): Promise<readonly WaitingReason[]> {
    return (await this.#get<{ reasons: readonly WaitingReason[] }>(at`/v1/jobs/${id}/waiting`, {}, options)).reasons
  }

  uploadDefinition(definition: Definition, options?: ChangeOptions): Promise<DefinitionSummary> {
    return this.#change("/v1/definitions", definition, options)
  }

  /** The latest version unless one is named. */
  getDefinition(id: string, version?: number, options?: CallOptions): Promise<StoredDefinition> {
    return this.#get(
      version === undefined ? at`/v1/definitions/${id}` : at`/v1/definitions/${id}/versions/${version}`,
      {},
      options,
    )
  }

  listDefinitions(
    query: { readonly keyword?: string; readonly page?: number; readonly pageSize?: number } = {},
    options?: CallOptions,
  ): Promise<DefinitionPage> {
    return this.#get("/v1/definitions", query, options)
  }

  startInstance<V extends object = Variables>(
    request: StartInstance<V>,
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    return this.#change("/v1/instances", request, options)
  }

  getInstance<V extends object = Variables>(id: string, options?: CallOptions): Promise<Instance<V>> {
    return this.#get(at`/v1/instances/${id}`, {}, options)
  }

  /** One page, newest first. */
  listInstances<V extends object = Variables>(
    query: InstanceFilter & Paging & { readonly page?: number } = {},
    options?: CallOptions,
  ): Promise<InstancePage<V>> {
    return this.#get("/v1/instances", { ...query }, options)
  }

  /** Every instance that matches, newest first, page after page. */
  instances<V extends object = Variables>(
    filter: InstanceFilter & { readonly pageSize?: number } = {},
    options?: CallOptions,
  ): AsyncGenerator<Instance<V>, void, undefined> {
    return followCursor((cursor) => this.listInstances<V>({ ...filter, ...cursor }, options))
  }

  async getHistory(instanceId: string, options?: CallOptions): Promise<readonly StepExecution[]> {
    return (await this.#get<{ items: readonly StepExecution[] }>(at`/v1/instances/${instanceId}/history`, {}, options))
      .items
  }

  async getAudit(instanceId: string, options?: CallOptions): Promise<readonly AuditEntry[]> {
    return (await this.#get<{ items: readonly AuditEntry[] }>(at`/v1/instances/${instanceId}/audit`, {}, options)).items
  }

  /** Why the instance is not moving. */
  async getWaiting(instanceId: string, options?: CallOptions): Promise<readonly WaitingReason[]> {
    return (
      await this.#get<{ reasons: readonly WaitingReason[] }>(at`/v1/instances/${instanceId}/waiting`, {}, options)
    ).reasons
  }

  cancelInstance<V extends object = Variables>(
    instanceId: string,
    request: { readonly reason?: string } = {},
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    return this.#change(at`/v1/instances/${instanceId}/cancel`, request, options)
  }

  completeUserTask(
    instanceId: string,
    stepId: string,
    request: { readonly completedBy?: string; readonly variables?: object } = {},
    options?: ChangeOptions,
  ): Promise<void> {
    return this.#change(at`/v1/instances/${instanceId}/user-tasks/${stepId}/complete`, request, options)
  }

  signal(instanceId: string, stepId: string, variables: object = {}, options?: ChangeOptions): Promise<void> {
    return this.#change(at`/v1/instances/${instanceId}/signals/${stepId}`, variables, options)
  }

  retryStep<V extends object = Variables>(
    instanceId: string,
    stepId: string,
    request: { readonly variables?: object } = {},
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    return this.#change(at`/v1/instances/${instanceId}/steps/${stepId}/retry`, request, options)
  }

  /** Saves a submission for later, once per key: a repeat is answered alike, whatever its payload. `submit` goes on until it is taken. */
  intake(definitionId: string, payload: object, { key, linkingId, ...options }: IntakeOptions): Promise<TakenIn> {
    const path = at.query(at`/v1/intake/${definitionId}`, { linkingId })
    return this.caller.call({ method: "POST", path, body: payload, idempotencyKey: key, repeat: "always", options })
  }

  /** The instance that works on a submission. */
  getIntake<V extends object = Variables>(
    definitionId: string,
    key: string,
    options?: CallOptions,
  ): Promise<Instance<V>> {
    return this.#get(at`/v1/intake/${definitionId}/${key}`, {}, options)
  }

  /** Runs that wait for this event need not sit out their delay. */
  wake(linkingId: string, options?: ChangeOptions): Promise<Woken> {
    return this.#change("/v1/wakeups", { linkingId }, options)
  }

  /** One page of the inbox. */
  listUserTasks<V extends object = Variables>(
    query: UserTaskFilter & Paging = {},
    options?: CallOptions,
  ): Promise<UserTaskPage<V>> {
    return this.#get("/v1/user-tasks", { ...query }, options)
  }

  /** Every user task that matches, page after page. */
  userTasks<V extends object = Variables>(
    filter: UserTaskFilter & { readonly pageSize?: number } = {},
    options?: CallOptions,
  ): AsyncGenerator<UserTask<V>, void, undefined> {
    return followCursor((cursor) => this.listUserTasks<V>({ ...filter, ...cursor }, options))
  }

  getUserTask<V extends object = Variables>(id: string, options?: CallOptions): Promise<UserTask<V>> {
    return this.#get(at`/v1/user-tasks/${id}`, {}, options)
  }

  claimUserTask<V extends object = Variables>(
    id: string,
    assignee: string,
    options?: ChangeOptions,
  ): Promise<UserTask<V>> {
    return this.#change(at`/v1/user-tasks/${id}/claim`, { assignee }, options)
  }

  /** Cancels or retries every instance that matches; follow it with `getBulk`. */
  startBulk(request: BulkRequest, options?: ChangeOptions): Promise<Bulk> {
    return this.#change("/v1/instances/bulk", request, options)
  }

  getBulk(id: string, options?: CallOptions): Promise<Bulk> {
    return this.#get(at`/v1/bulk/${id}`, {}, options)
  }

  /** Any operation of the contract by its id, in the words of the wire: `call("getJob", { path: { jobId } })`. */
  call<Id extends OperationId>(operation: Id, ...asked: AskedArguments<Id>): Promise<Answer<Id>> {
    return callOperation(this.#wire, operation, ...asked)
  }

  /** Resolves when the engine can take work, else rejects. */
  async ready(options?: CallOptions): Promise<void> {
    await this.#get("/readyz", {}, options)
  }

  /** Closes the connections; calls in flight fail. */
  close(): void {
    this.#transport.close()
  }

  #get<T>(path: string, query: Readonly<Record<string, QueryValue>>, options?: CallOptions): Promise<T> {
    return this.#wire.get(path, query, options)
  }

  #change<T>(path: string, body: object, options?: ChangeOptions): Promise<T> {
    return this.#wire.post(path, body, options)
  }
}
