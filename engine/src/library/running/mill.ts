// The TypeScript door: what the engine can do, from your own process and in your own transaction.

import type { Priority } from "../../model/definitions/definition.ts"
import { isTerminal } from "../../model/instances/instance-machine.ts"
import { cancelInstance, completeUserTask, signalWait } from "../../operations/instances/change-instance.ts"
import { endingsOf } from "../../operations/instances/endings.ts"
import { explainAny, type WaitingReason } from "../../operations/instances/explain-waiting.ts"
import type { InstanceView } from "../../operations/instances/instance-view.ts"
import { getHistory, type StepView } from "../../operations/instances/read-history.ts"
import { getInstance } from "../../operations/instances/read-instances.ts"
import { retryInstance } from "../../operations/instances/retry-instance.ts"
import { startInstance } from "../../operations/instances/start/start-instance.ts"
import { startOnce, takeIntake } from "../../operations/instances/start/take-intake.ts"
import { type CallersTx, within } from "../../operations/kernel/callers.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { type BestEffortFailure, listBestEffortFailures } from "../../operations/runs/read-runs.ts"
import { wakeRuns } from "../../operations/runs/wake-runs.ts"
import { badRequest, EngineError } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { activeTrace } from "../../support/spans.ts"
import type { Downstream } from "../authoring/downstream.ts"
import type { EnqueueOptions } from "../authoring/enqueue-options.ts"
import { type Handler, handledTypes } from "../authoring/handler.ts"
import type { AnyJob, JobPayload } from "../authoring/job.ts"
import { validate } from "../authoring/standard-schema.ts"
import type { StepTx } from "../authoring/step-types.ts"
import type { AnyWorkflow, PayloadOf, ResultOf } from "../authoring/workflow.ts"
import { tellInCatalogue } from "./catalogue-errors.ts"
import { checkHandlers, checkPriority, checkText, checkVariables, checkWorkflow } from "./check-input.ts"
import type { ConsumeOptions } from "./consume/consume-options.ts"
import { Consumers } from "./consume/consumers.ts"
import type { ConsumeHandler } from "./consume/consumption.ts"
import { Definitions } from "./definitions.ts"
import { Events, type PublishOptions, type Subscription, type SubscriptionOptions } from "./events.ts"
import type { EventHandler } from "./handler-sink.ts"
import { Schedules } from "./schedules.ts"
import { type EnqueuedJob, itemsOf, type JobItem, type JobRecord, StandaloneJobs } from "./standalone-jobs.ts"
import { type DrainOptions, type Workable, Workers, type WorkOptions } from "./workers.ts"

export interface StartOptions {
  /** One run per key and workflow: a repeat gives back the run that is there. */
  readonly key?: string | undefined
  /** Your open transaction: the run begins with its commit, and is not there after a rollback. */
  readonly tx?: CallersTx | undefined
  readonly linkingId?: string | undefined
  readonly businessKey?: string | undefined
  readonly priority?: Priority | undefined
}

export interface StartByNameOptions extends StartOptions {
  /** The newest unless it is given. */
  readonly definitionVersion?: number | undefined
}

/** Functions that work on the jobs of a type, those of a definition's steps and those that stand alone. */
export interface HandlerOptions extends WorkOptions {
  readonly handlers: Readonly<Record<string, Handler>>
}

export interface Working {
  /** What runs may finish. */
  stop(): Promise<void>
}

export interface IntakeOptions {
  readonly key: string
  readonly linkingId?: string | undefined
  readonly tx?: CallersTx | undefined
}

/** A run that has begun. */
export interface Started {
  readonly id: string
}

interface Within {
  readonly tx?: CallersTx | undefined
}

export type RunView<Result = unknown> = Omit<InstanceView, "variables"> & { readonly variables: JsonObject & Result }

const ACTOR = "local"
const MOST_BETWEEN_LOOKS_MS = 1_000
/** Handlers mostly wait for other systems. */
const HANDLERS_AT_ONCE = 64

export class Mill {
  static {
    tellInCatalogue(Mill)
  }
  /** Workflows that are written as JSON. */
  readonly definitions: Definitions
  /** Work that begins by the clock. */
  readonly schedules: Schedules
  readonly #kernel: Kernel
  readonly #workers: Workers
  readonly #jobs: StandaloneJobs
  readonly #events: Events
  readonly #consumers: Consumers
  readonly #close: () => Promise<void>
  #stopped: Promise<void> | undefined

  constructor(kernel: Kernel, processId: string, close: () => Promise<void>) {
    this.#kernel = kernel
    this.#workers = new Workers(kernel, processId)
    this.definitions = new Definitions(kernel)
    this.schedules = new Schedules(kernel, (workflow) => this.#workers.versionOf(workflow))
    this.#jobs = new StandaloneJobs(kernel, this.#workers.downstreams)
    this.#events = new Events(kernel)
    this.#consumers = new Consumers(kernel)
    this.#close = close
  }

  /**
   * Begins a run of a workflow, or of a definition by its id. The input is judged first: one that does not fit is refused here, not an
   * hour later.
   */
  start(definitionId: string, variables?: JsonObject, options?: StartByNameOptions): Promise<Started>
  start<Of extends AnyWorkflow>(workflow: Of, input: PayloadOf<Of>, options?: StartOptions): Promise<Started>
  async start(
    workflow: AnyWorkflow | string,
    input: unknown,
    { key, tx, ...options }: StartByNameOptions = {},
  ): Promise<Started> {
    checkStart(workflow, options)
    const variables = checkVariables(input, "the input")
    const definitionId = await this.#prepare(workflow, variables)
    const request = { definitionId, variables, actor: ACTOR, ...options, trace: activeTrace() }
    if (key !== undefined) return this.#startOnce(request, key, tx)
    const { instance } = await within(this.#kernel, tx, (own) => startInstance(this.#kernel, request, own))
    return { id: instance.id }
  }

  /** A definition is there already, and judges its input itself; a workflow is uploaded when it is first used. */
  async #prepare(workflow: AnyWorkflow | string, input: JsonObject): Promise<string> {
    if (typeof workflow === "string") return workflow
    if (workflow.input) await validate(workflow.input, input)
    await this.#workers.versionOf(workflow)
    return workflow.name
  }

  async #startOnce(
    { variables, businessKey, ...request }: Parameters<typeof startInstance>[1],
    key: string,
    tx: CallersTx | undefined,
  ): Promise<Started> {
    checkText(key, "key")
    if (businessKey !== undefined)
      throw badRequest("key and businessKey exclude each other: the key says which run it is")
    return { id: await startOnce(this.#kernel, { ...request, key, payload: variables }, tx) }
  }

  /** Accepts first and looks later: one statement, whatever the payload is; a repeat of the key is as good as the first. */
  async intake(
    workflow: AnyWorkflow | string,
    payload: unknown,
    { key, linkingId, tx }: IntakeOptions,
  ): Promise<{ readonly idempotencyKey: string }> {
    checkText(key, "key")
    if (linkingId !== undefined) checkText(linkingId, "linkingId")
    const definitionId = typeof workflow === "string" ? workflow : workflow?.name
    if (typeof workflow === "string") checkText(workflow, "the definition's id")
    else await this.#workers.versionOf(workflow)
    const content = checkVariables(payload, "the payload")
    const trace = activeTrace()
    const request = { definitionId, key, payload: content, linkingId, actor: ACTOR, trace }
    await within(this.#kernel, tx, (own) => takeIntake(this.#kernel, request, own))
    return { idempotencyKey: key }
  }

  /** Puts a job into the queue: by its type, or by what `job(…)` has returned, which also judges the payload. */
  enqueue<Of extends string | AnyJob>(
    type: Of,
    payload: JobPayload<Of>,
    { tx, ...settings }: EnqueueOptions = {},
  ): Promise<EnqueuedJob> {
    return this.#jobs.enqueue({ ...settings, type, payload: payload as object }, tx)
  }

  /** Many jobs at once: payloads of one type, or items that each say their own. One that is refused is told, those before it may be in. */
  enqueueMany<Of extends string | AnyJob>(
    type: Of,
    payloads: readonly JobPayload<Of>[],
    options?: EnqueueOptions,
  ): Promise<readonly EnqueuedJob[]>
  enqueueMany(items: readonly JobItem[], options?: EnqueueOptions): Promise<readonly EnqueuedJob[]>
  async enqueueMany(...given: readonly unknown[]): Promise<readonly EnqueuedJob[]> {
    const { items, tx } = itemsOf(given)
    return this.#jobs.enqueueMany(items, tx)
  }

  /** How a job stands, and what came of it. */
  job(id: string): Promise<JobRecord> {
    return this.#jobs.get(id)
  }

  /** What a worker still has of it no longer counts. */
  cancelJob(id: string, { reason, tx }: Within & { readonly reason?: string } = {}): Promise<void> {
    return this.#jobs.cancel(id, reason, tx)
  }

  /** Publishes an event: it is delivered to every subscription and sink after the commit, at least once, under the id returned here. */
  publish(type: string, payload: object, options?: PublishOptions): Promise<{ readonly id: string }> {
    return this.#events.publish(type, payload, options)
  }

  /** Calls the function for every event of this type, at least once and in the order of each key. One of the processes that ask does. */
  on(type: string, handler: EventHandler, options?: SubscriptionOptions): Promise<Subscription> {
    return this.#events.on(type, handler, options)
  }

  /**
   * Processes each event of this type once for the group: what the handler writes through `tx` and what it publishes commits with the
   * mark that the event is processed. From Kafka where a broker is set up, else from this database.
   */
  consume<Tx extends CallersTx = StepTx>(
    type: string,
    options: ConsumeOptions<Tx>,
    handler: ConsumeHandler<Tx>,
  ): Promise<Subscription> {
    return this.#consumers.consume({ type, options, handler })
  }

  /** Tells the engine what these systems can take. Workers do so by themselves for those that their work goes to. */
  declare(...downstreams: readonly Downstream[]): Promise<void> {
    return this.#workers.downstreams.declare(downstreams)
  }

  /** Works in this process: on workflows and jobs, one at a time unless told otherwise, or with handlers by job type. */
  work(handlers: HandlerOptions): Promise<Working>
  work(works: readonly Workable[], options?: WorkOptions): Promise<Working>
  async work(given: readonly Workable[] | HandlerOptions, options: WorkOptions = {}): Promise<Working> {
    if (!isHandlers(given)) return this.#workers.work(given, options)
    const { handlers, ...rest } = given
    return this.#workers.work(typesOf(handlers), { concurrency: HANDLERS_AT_ONCE, ...rest })
  }

  /** Runs what is ready and stops, with time to spare. */
  drain(handlers: HandlerOptions & DrainOptions): Promise<{ statusCode: 200; processed: number }>
  drain(works: readonly Workable[], options?: DrainOptions): Promise<{ statusCode: 200; processed: number }>
  async drain(given: readonly Workable[] | (HandlerOptions & DrainOptions), options: DrainOptions = {}) {
    if (!isHandlers(given)) return this.#workers.drain(given, options)
    const { handlers, ...rest } = given
    return this.#workers.drain(typesOf(handlers), { concurrency: HANDLERS_AT_ONCE, ...rest })
  }

  /** Kept when it comes before the run waits for it. */
  async signal(id: string, name: string, payload: JsonObject = {}, { tx }: Within = {}): Promise<void> {
    checkText(name, "the signal's name")
    const request = { instanceId: id, stepId: name, variables: checkVariables(payload, "the payload"), actor: ACTOR }
    await within(this.#kernel, tx, (own) => signalWait(this.#kernel, request, own))
  }

  /** What a run asked of a person is done. */
  async completeUserTask(
    id: string,
    name: string,
    result: JsonObject = {},
    { tx, completedBy }: Within & { readonly completedBy?: string } = {},
  ): Promise<void> {
    const variables = checkVariables(result, "the result")
    const request = { instanceId: id, stepId: name, variables, completedBy, actor: ACTOR }
    await within(this.#kernel, tx, (own) => completeUserTask(this.#kernel, request, own))
  }

  /** Runs that wait for this event need not sit out their delay. */
  async wake(linkingId: string, { tx }: Within = {}): Promise<{ readonly woken: number }> {
    checkText(linkingId, "linkingId")
    return { woken: await within(this.#kernel, tx, (own) => wakeRuns(this.#kernel, linkingId, own)) }
  }

  async cancel(id: string, { reason, tx }: Within & { readonly reason?: string } = {}): Promise<void> {
    const request = { instanceId: id, reason, actor: ACTOR }
    await within(this.#kernel, tx, (own) => cancelInstance(this.#kernel, request, own))
  }

  /** A failed run goes on: from the first step, or from the one that failed. */
  async retry(id: string): Promise<void> {
    await retryInstance(this.#kernel, { instanceId: id, actor: ACTOR })
  }

  /** Why a run, or a job that stands alone, does not move: what it waits for, who has it, which error it is tried again after. */
  waiting(id: string): Promise<readonly WaitingReason[]> {
    return explainAny(this.#kernel, id)
  }

  get(id: string): Promise<InstanceView> {
    return getInstance(this.#kernel, id)
  }

  /** The executions of its steps, oldest first. */
  history(id: string): Promise<readonly StepView[]> {
    return getHistory(this.#kernel, id)
  }

  /** Resolves when the run has ended, well or badly: look at its status. */
  async wait<Of extends AnyWorkflow = AnyWorkflow>(
    id: string,
    { timeoutMs = Number.POSITIVE_INFINITY }: { readonly timeoutMs?: number } = {},
  ): Promise<RunView<ResultOf<Of>>> {
    const end = performance.now() + timeoutMs
    // What ends in this process is told; what ends elsewhere is looked for, ever less often.
    for (let lookMs = 20; ; lookMs = Math.min(2 * lookMs, MOST_BETWEEN_LOOKS_MS)) {
      const over = endingsOf(this.#kernel).wait(id, Math.max(0, Math.min(lookMs, end - performance.now())))
      const view = await getInstance(this.#kernel, id)
      if (isTerminal(view.status)) return view as RunView<ResultOf<Of>>
      if (performance.now() >= end) throw new EngineError("unavailable", `run ${id} is still ${view.status}`)
      await over
    }
  }

  /** Best-effort steps of this name that failed while their runs went on, oldest first. */
  failures(
    step: string,
    options: { readonly after?: string; readonly limit?: number } = {},
  ): Promise<readonly BestEffortFailure[]> {
    return listBestEffortFailures(this.#kernel, step, options)
  }

  /** Prometheus text, for a metrics page of your own. */
  metrics(): Promise<string> {
    return this.#kernel.metrics.registry.metrics()
  }

  /** Lets running steps finish, then closes everything. Whoever asks again waits for the same end. */
  stop(): Promise<void> {
    this.#stopped ??= Promise.all([this.#workers.stop(), this.#consumers.stop()]).then(this.#close)
    return this.#stopped
  }
}

function checkStart(workflow: unknown, { priority, linkingId, businessKey }: StartOptions): void {
  if (typeof workflow === "string") checkText(workflow, "the definition's id")
  else checkWorkflow(workflow)
  checkPriority(priority)
  if (linkingId !== undefined) checkText(linkingId, "linkingId")
  if (businessKey !== undefined) checkText(businessKey, "businessKey")
}

const isHandlers = (given: readonly Workable[] | HandlerOptions): given is HandlerOptions =>
  !Array.isArray(given) && "handlers" in Object(given)

function typesOf(handlers: HandlerOptions["handlers"]) {
  checkHandlers(handlers)
  return handledTypes(handlers)
}
