// The client of an engine: everything a worker, a service or an operator asks of it over REST.

import type * as wire from "../generated/wire.ts"
import type {
  AuditEntry,
  Bulk,
  BulkRequest,
  Definition,
  DefinitionActivity,
  DefinitionPage,
  DefinitionSummary,
  DefinitionVersion,
  InstanceFilter,
  LiveJob,
  LiveJobPage,
  StepExecution,
  StoredDefinition,
  TakenIn,
  Variables,
  WaitingReason,
  Woken,
} from "../generated/wire.ts"
import { Caller, type CallOptions, type TraceContext } from "../http/caller.ts"
import { type Clock, monotonicClock } from "../http/clock.ts"
import { HttpTransport } from "../http/http-transport.ts"
import { type AskedArguments, type ChangeOptions, OperationCaller } from "../http/operation-caller.ts"
import type { Answer, OperationId } from "../http/operations.ts"
import { followCursor } from "../http/pages.ts"
import { toCamel, toSnake } from "../http/snake-case.ts"
import { DeadLetterClient } from "./dead-letter-client.ts"
import { FlowClient } from "./flow-client.ts"
import type { Instance, InstancePage, StartInstance, UserTask, UserTaskFilter, UserTaskPage } from "./instance-types.ts"
import { JobClient } from "./job-client.ts"
import { ObservabilityClient } from "./observability-client.ts"
import type { EnqueueOptions, NewJob, StandaloneJob } from "./queue-types.ts"
import { ScheduleClient } from "./schedule-client.ts"

export interface EngineClientOptions {
  /** Such as `http://127.0.0.1:8080`; a path prefix is kept. */
  readonly url: string
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

export class EngineClient extends JobClient {
  /** What another thread needs to speak to the same engine. */
  readonly options: EngineClientOptions
  readonly #transport: HttpTransport
  readonly #operations: OperationCaller
  /** Weights, watermarks, pauses, downstreams, and how the queue stands. */
  readonly queues: FlowClient
  readonly deadLetters: DeadLetterClient
  readonly schedules: ScheduleClient
  /** How the engine stands, and how it went. */
  readonly observability: ObservabilityClient

  constructor(options: EngineClientOptions) {
    const transport = new HttpTransport(options.url, options.maxSockets ?? 64)
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
    this.#operations = new OperationCaller(caller, options.autoIdempotencyKeys !== false)
    this.queues = new FlowClient(this.#operations)
    this.deadLetters = new DeadLetterClient(this.#operations)
    this.schedules = new ScheduleClient(this.#operations)
    this.observability = new ObservabilityClient(this.#operations)
  }

  /** Any operation of the contract by its id, in the words of the wire: `call("getJob", { path: { jobId } })`. */
  call<Id extends OperationId>(operation: Id, ...asked: AskedArguments<Id>): Promise<Answer<Id>> {
    return this.#operations.call(operation, ...asked)
  }

  /** Puts a job into the queue, for the workers of its type. */
  async enqueue<P extends object = Variables>(
    type: string,
    payload: P,
    { idempotencyKey, signal, timeoutMs, maxAttempts, ...job }: EnqueueOptions & ChangeOptions = {},
  ): Promise<StandaloneJob<P>> {
    const body = toSnake<wire.EnqueueJob>({ ...job, type, payload: payload as Variables })
    const options = { idempotencyKey, signal, timeoutMs, maxAttempts }
    return toCamel(await this.#operations.call("enqueueJob", { body }, options)) as StandaloneJob<P>
  }

  /** Up to 1000 jobs, each as in `enqueue`: their ids, in this order. */
  async enqueueMany(jobs: readonly NewJob<object>[], options?: ChangeOptions): Promise<readonly string[]> {
    const body = { jobs: toSnake<readonly wire.EnqueueJob[]>(jobs as readonly NewJob[]) }
    return (await this.#operations.call("enqueueJobs", { body }, options)).ids
  }

  async getJob<P extends object = Variables, R extends object = Variables>(
    id: string,
    options?: CallOptions,
  ): Promise<StandaloneJob<P, R>> {
    return toCamel(await this.#operations.call("getJob", { path: { jobId: id } }, options)) as StandaloneJob<P, R>
  }

  async cancelJob(id: string, request: wire.CancelJob = {}, options?: ChangeOptions): Promise<StandaloneJob> {
    return toCamel(await this.#operations.call("cancelJob", { path: { jobId: id }, body: request }, options))
  }

  /** Why a job is not moving. */
  async getJobWaiting(id: string, options?: CallOptions): Promise<readonly WaitingReason[]> {
    return (await this.#operations.call("explainJobWaiting", { path: { jobId: id } }, options)).reasons
  }

  /** One page of the jobs that are not done, of workflows and standalone ones: those that are `ready` unless a status is given. */
  listJobs(query: wire.ListJobsQuery = {}, options?: CallOptions): Promise<LiveJobPage> {
    return this.#operations.call("listJobs", { query }, options)
  }

  /** Every one that matches, page after page. */
  jobs(
    filter: Omit<wire.ListJobsQuery, "cursor"> = {},
    options?: CallOptions,
  ): AsyncGenerator<LiveJob, void, undefined> {
    return followCursor((cursor) => this.listJobs({ ...filter, ...cursor }, options))
  }

  uploadDefinition(definition: Definition, options?: ChangeOptions): Promise<DefinitionSummary> {
    return this.#operations.call("uploadDefinition", { body: definition }, options)
  }

  /** The latest version unless one is named. */
  getDefinition(id: string, version?: number, options?: CallOptions): Promise<StoredDefinition> {
    return version === undefined
      ? this.#operations.call("getDefinition", { path: { definitionId: id } }, options)
      : this.#operations.call("getDefinitionVersion", { path: { definitionId: id, version } }, options)
  }

  listDefinitions(query: wire.ListDefinitionsQuery = {}, options?: CallOptions): Promise<DefinitionPage> {
    return this.#operations.call("listDefinitions", { query }, options)
  }

  /** Newest first, at most 200. */
  async listDefinitionVersions(id: string, options?: CallOptions): Promise<readonly DefinitionVersion[]> {
    return (await this.#operations.call("listDefinitionVersions", { path: { definitionId: id } }, options)).items
  }

  /** At which steps its live instances stand. */
  getDefinitionActivity(
    id: string,
    query: wire.GetDefinitionActivityQuery = {},
    options?: CallOptions,
  ): Promise<DefinitionActivity> {
    return this.#operations.call("getDefinitionActivity", { path: { definitionId: id }, query }, options)
  }

  startInstance<V extends object = Variables>(
    request: StartInstance<V>,
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    const body = request as wire.StartInstance
    return this.#operations.call("startInstance", { body }, options) as Promise<Instance<V>>
  }

  getInstance<V extends object = Variables>(id: string, options?: CallOptions): Promise<Instance<V>> {
    const path = { instanceId: id }
    return this.#operations.call("getInstance", { path }, options) as Promise<Instance<V>>
  }

  /** One page, newest first. */
  listInstances<V extends object = Variables>(
    query: wire.ListInstancesQuery = {},
    options?: CallOptions,
  ): Promise<InstancePage<V>> {
    return this.#operations.call("listInstances", { query }, options) as Promise<InstancePage<V>>
  }

  /** Every instance that matches, newest first, page after page. */
  instances<V extends object = Variables>(
    filter: InstanceFilter & { readonly pageSize?: number } = {},
    options?: CallOptions,
  ): AsyncGenerator<Instance<V>, void, undefined> {
    return followCursor((cursor) => this.listInstances<V>({ ...filter, ...cursor }, options))
  }

  async getHistory(instanceId: string, options?: CallOptions): Promise<readonly StepExecution[]> {
    return (await this.#operations.call("getInstanceHistory", { path: { instanceId } }, options)).items
  }

  async getAudit(
    instanceId: string,
    query: wire.GetInstanceAuditQuery = {},
    options?: CallOptions,
  ): Promise<readonly AuditEntry[]> {
    return (await this.#operations.call("getInstanceAudit", { path: { instanceId }, query }, options)).items
  }

  /** Why the instance is not moving. */
  async getWaiting(instanceId: string, options?: CallOptions): Promise<readonly WaitingReason[]> {
    return (await this.#operations.call("getInstanceWaiting", { path: { instanceId } }, options)).reasons
  }

  cancelInstance<V extends object = Variables>(
    instanceId: string,
    request: wire.CancelInstance = {},
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    const asked = { path: { instanceId }, body: request }
    return this.#operations.call("cancelInstance", asked, options) as Promise<Instance<V>>
  }

  completeUserTask(
    instanceId: string,
    stepId: string,
    request: { readonly completedBy?: string; readonly variables?: object } = {},
    options?: ChangeOptions,
  ): Promise<void> {
    const asked = { path: { instanceId, stepId }, body: request as wire.CompleteUserTask }
    return this.#operations.call("completeUserTask", asked, options)
  }

  signal(instanceId: string, stepId: string, variables: object = {}, options?: ChangeOptions): Promise<void> {
    const asked = { path: { instanceId, stepId }, body: variables as Variables }
    return this.#operations.call("signalInstance", asked, options)
  }

  retryStep<V extends object = Variables>(
    instanceId: string,
    stepId: string,
    request: { readonly variables?: object } = {},
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    const asked = { path: { instanceId, stepId }, body: request as wire.RetryStep }
    return this.#operations.call("retryStep", asked, options) as Promise<Instance<V>>
  }

  /** At the step that failed it. */
  retryInstance<V extends object = Variables>(
    instanceId: string,
    request: { readonly variables?: object } = {},
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    const asked = { path: { instanceId }, body: request as wire.RetryStep }
    return this.#operations.call("retryInstance", asked, options) as Promise<Instance<V>>
  }

  /** Saves a submission for later, once per key: a repeat is answered alike, whatever its payload. `submit` goes on until it is taken. */
  intake(definitionId: string, payload: object, { key, linkingId, ...options }: IntakeOptions): Promise<TakenIn> {
    const query = linkingId === undefined ? {} : { linkingId }
    const asked = { path: { definitionId }, query, body: payload as Variables }
    return this.#operations.call("takeIntake", asked, { ...options, idempotencyKey: key })
  }

  /** The instance that works on a submission. */
  getIntake<V extends object = Variables>(
    definitionId: string,
    key: string,
    options?: CallOptions,
  ): Promise<Instance<V>> {
    const path = { definitionId, key }
    return this.#operations.call("getIntake", { path }, options) as Promise<Instance<V>>
  }

  /** Runs that wait for this event need not sit out their delay. */
  wake(linkingId: string, options?: ChangeOptions): Promise<Woken> {
    return this.#operations.call("wakeRuns", { body: { linkingId } }, options)
  }

  /** One page of the inbox. */
  listUserTasks<V extends object = Variables>(
    query: wire.ListUserTasksQuery = {},
    options?: CallOptions,
  ): Promise<UserTaskPage<V>> {
    return this.#operations.call("listUserTasks", { query }, options) as Promise<UserTaskPage<V>>
  }

  /** Every user task that matches, page after page. */
  userTasks<V extends object = Variables>(
    filter: UserTaskFilter & { readonly pageSize?: number } = {},
    options?: CallOptions,
  ): AsyncGenerator<UserTask<V>, void, undefined> {
    return followCursor((cursor) => this.listUserTasks<V>({ ...filter, ...cursor }, options))
  }

  getUserTask<V extends object = Variables>(id: string, options?: CallOptions): Promise<UserTask<V>> {
    const path = { userTaskId: id }
    return this.#operations.call("getUserTask", { path }, options) as Promise<UserTask<V>>
  }

  claimUserTask<V extends object = Variables>(
    id: string,
    assignee: string,
    options?: ChangeOptions,
  ): Promise<UserTask<V>> {
    const asked = { path: { userTaskId: id }, body: { assignee } }
    return this.#operations.call("claimUserTask", asked, options) as Promise<UserTask<V>>
  }

  /** Cancels or retries every instance that matches; follow it with `getBulk`. */
  startBulk(request: BulkRequest, options?: ChangeOptions): Promise<Bulk> {
    return this.#operations.call("startBulk", { body: request }, options)
  }

  getBulk(id: string, options?: CallOptions): Promise<Bulk> {
    return this.#operations.call("getBulk", { path: { bulkId: id } }, options)
  }

  /** Resolves when the engine can take work, else rejects. */
  async ready(options?: CallOptions): Promise<void> {
    await this.#operations.call("getReadiness", {}, options)
  }

  /** Closes the connections; calls in flight fail. */
  close(): void {
    this.#transport.close()
  }
}
