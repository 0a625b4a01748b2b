// The TypeScript door: what the engine can do, from your own process and in your own transaction.

import type { Priority } from "../../model/definitions/definition.ts"
import { type StartRequest, startInstance } from "../../operations/instances/start/start-instance.ts"
import { startOnce, takeIntake } from "../../operations/instances/start/take-intake.ts"
import { type CallersTx, checkTransaction, within } from "../../operations/kernel/callers.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { wakeRuns } from "../../operations/runs/wake-runs.ts"
import type { JsonObject } from "../../support/json.ts"
import { activeTrace } from "../../support/spans.ts"
import { checkKnown } from "../authoring/check-authoring.ts"
import type { Downstream } from "../authoring/downstream.ts"
import type { EnqueueOptions } from "../authoring/enqueue-options.ts"
import { type Handler, handledTypes } from "../authoring/handler.ts"
import type { AnyJob, JobPayload, JobResult } from "../authoring/job.ts"
import { validate } from "../authoring/standard-schema.ts"
import type { StepTx } from "../authoring/step-types.ts"
import type { AnyWorkflow, PayloadOf } from "../authoring/workflow.ts"
import type { Within } from "../handles/answer-types.ts"
import { DeadLetters } from "../handles/dead-letters.ts"
import type { EnqueuedJob } from "../handles/job-handle.ts"
import { Jobs } from "../handles/jobs.ts"
import { RunHandle } from "../handles/run-handle.ts"
import { type RunOf, Runs } from "../handles/runs.ts"
import { tellInCatalogue } from "./catalogue-errors.ts"
import { checkHandlers, checkStart, checkText, checkVariables } from "./check-input.ts"
import type { AnyConsumeOptions, BatchOptions, ConsumeOptions } from "./consume/consume-options.ts"
import { Consumers } from "./consume/consumers.ts"
import type { BatchHandler, ConsumeHandler } from "./consume/consumption.ts"
import { Definitions } from "./definitions.ts"
import { Events, type PublishOptions, type Subscription, type SubscriptionOptions } from "./events.ts"
import type { EventHandler } from "./handler-sink.ts"
import { Schedules } from "./schedules.ts"
import { entriesOf, type JobItem, StandaloneJobs } from "./standalone-jobs.ts"
import { type Drained, type DrainOptions, type Workable, Workers, type WorkOptions } from "./workers.ts"

export interface StartOptions {
  /** One run per key and workflow: a repeat gives back the run that is there. */
  readonly key?: string | undefined
  /** Your open transaction: the run begins with its commit, and is not there after a rollback. Undefined is as if it were left out. */
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
  /** Runs that are under way may finish. */
  stop(): Promise<void>
}

export interface IntakeOptions {
  readonly key: string
  readonly linkingId?: string | undefined
  readonly tx?: CallersTx | undefined
}

const OF_A_START = ["key", "tx", "linkingId", "businessKey", "priority", "definitionVersion"]
const ACTOR = "local"
const DOOR = "library"
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
  /** Runs by id and by key, and lists of them. */
  readonly runs: Runs
  /** Jobs that stand alone, by id and by key, and lists of what is to be done. */
  readonly jobs: Jobs
  /** What was given up. */
  readonly deadLetters: DeadLetters
  readonly #kernel: Kernel
  readonly #workers: Workers
  readonly #queue: StandaloneJobs
  readonly #events: Events
  readonly #consumers: Consumers
  readonly #close: () => Promise<void>
  #stopped: Promise<void> | undefined

  constructor(kernel: Kernel, processId: string, close: () => Promise<void>) {
    this.#kernel = kernel
    this.#workers = new Workers(kernel, processId)
    this.definitions = new Definitions(kernel)
    this.schedules = new Schedules(kernel, (workflow) => this.#workers.versionOf(workflow))
    this.runs = new Runs(kernel)
    this.jobs = new Jobs(kernel)
    this.deadLetters = new DeadLetters(kernel)
    this.#queue = new StandaloneJobs(kernel, this.#workers.downstreams)
    this.#events = new Events(kernel)
    this.#consumers = new Consumers(kernel)
    this.#close = close
  }

  /**
   * Begins a run of a workflow, or of a definition by its id. The input is judged first: one that does not fit is refused here, not an
   * hour later.
   */
  start(definitionId: string, variables?: JsonObject, options?: StartByNameOptions): Promise<RunHandle<JsonObject>>
  start<Of extends AnyWorkflow>(workflow: Of, input: PayloadOf<Of>, options?: StartOptions): Promise<RunOf<Of>>
  async start(workflow: AnyWorkflow | string, input: unknown, given: StartByNameOptions = {}): Promise<RunHandle> {
    checkKnown("starting a run", given, OF_A_START)
    const { key, tx, ...options } = given
    checkStart(workflow, given)
    checkTransaction(tx)
    const variables = checkVariables(input, "the input")
    const definitionId = await this.#prepare(workflow, variables)
    const request = { definitionId, variables, door: DOOR, actor: ACTOR, ...options, trace: activeTrace() } as const
    const id = key === undefined ? await this.#startNew(request, tx) : await this.#startOnce(request, key, tx)
    return new RunHandle(this.#kernel, id, typeof workflow === "string" ? undefined : workflow)
  }

  /** A definition is there already, and judges its input itself; a workflow is uploaded when it is first used. */
  async #prepare(workflow: AnyWorkflow | string, input: JsonObject): Promise<string> {
    if (typeof workflow === "string") return workflow
    if (workflow.input) await validate(workflow.input, input)
    await this.#workers.versionOf(workflow)
    return workflow.name
  }

  async #startNew(request: StartRequest, tx: CallersTx | undefined): Promise<string> {
    return (await within(this.#kernel, tx, (own) => startInstance(this.#kernel, request, own))).instance.id
  }

  async #startOnce({ variables, ...request }: StartRequest, key: string, tx: CallersTx | undefined): Promise<string> {
    return startOnce(this.#kernel, { ...request, key, payload: variables }, tx)
  }

  /** Accepts first and looks later: one statement, whatever the payload is; a repeat of the key is as good as the first. */
  async intake(
    workflow: AnyWorkflow | string,
    payload: unknown,
    options: IntakeOptions,
  ): Promise<{ readonly idempotencyKey: string }> {
    checkKnown("an intake", options, ["key", "linkingId", "tx"])
    const { key, linkingId, tx } = options
    checkText(key, "key")
    if (linkingId !== undefined) checkText(linkingId, "linkingId")
    const definitionId = typeof workflow === "string" ? workflow : workflow?.name
    if (typeof workflow === "string") checkText(workflow, "the definition's id")
    else await this.#workers.versionOf(workflow)
    const content = checkVariables(payload, "the payload")
    const trace = activeTrace()
    const request = { definitionId, key, payload: content, linkingId, door: DOOR, actor: ACTOR, trace } as const
    await within(this.#kernel, tx, (own) => takeIntake(this.#kernel, request, own))
    return { idempotencyKey: key }
  }

  /** Puts a job into the queue: by its type, or by what `job(…)` has returned, which also judges the payload. */
  enqueue<Of extends string | AnyJob>(
    type: Of,
    payload: JobPayload<Of>,
    { tx, ...settings }: EnqueueOptions = {},
  ): Promise<EnqueuedJob<JobResult<Of>>> {
    const job = this.#queue.enqueue({ payload, said: { ...settings, type } }, tx)
    return job as Promise<EnqueuedJob<JobResult<Of>>>
  }

  /**
   * Many jobs at once: payloads of one type, or items that each say their own. Where there is no room none is stored. Where it fails
   * otherwise, such as for a key that was used with another payload, the error says how many are stored: with keys it is safe to ask again.
   */
  enqueueMany<Of extends string | AnyJob>(
    type: Of,
    payloads: readonly JobPayload<Of>[],
    options?: EnqueueOptions,
  ): Promise<readonly EnqueuedJob<JobResult<Of>>[]>
  enqueueMany(items: readonly JobItem[], options?: EnqueueOptions): Promise<readonly EnqueuedJob[]>
  async enqueueMany(...given: readonly unknown[]): Promise<readonly EnqueuedJob[]> {
    const { entries, tx } = entriesOf(given)
    return this.#queue.enqueueMany(entries, tx)
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
  ): Promise<Subscription>
  /** With `batch` the events that wait are handled together, and commit together; where that fails, each by itself. */
  consume<Tx extends CallersTx = StepTx>(
    type: string,
    options: BatchOptions<Tx>,
    handler: BatchHandler<Tx>,
  ): Promise<Subscription>
  consume<Tx extends CallersTx>(type: string, options: AnyConsumeOptions<Tx>, handler: never): Promise<Subscription> {
    return this.#consumers.consume<Tx>({ type, options, handler })
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

  /** Runs what is ready and stops, with time to spare; and says how much that was, and why it stopped. */
  drain(handlers: HandlerOptions & DrainOptions): Promise<Drained>
  drain(works: readonly Workable[], options?: DrainOptions): Promise<Drained>
  async drain(given: readonly Workable[] | (HandlerOptions & DrainOptions), options: DrainOptions = {}) {
    if (!isHandlers(given)) return this.#workers.drain(given, options)
    const { handlers, ...rest } = given
    return this.#workers.drain(typesOf(handlers), { concurrency: HANDLERS_AT_ONCE, ...rest })
  }

  /** Runs that wait for this event need not sit out their delay. */
  async wake(linkingId: string, options: Within = {}): Promise<{ readonly woken: number }> {
    checkKnown("waking runs", options, ["tx"])
    checkText(linkingId, "linkingId")
    return { woken: await within(this.#kernel, options.tx, (own) => wakeRuns(this.#kernel, linkingId, own)) }
  }

  /** Prometheus text, for a metrics page of your own. */
  metrics(): Promise<string> {
    return this.#kernel.metrics.registry.metrics()
  }

  /** Lets running steps finish, then closes everything. A second call waits for the same end. */
  stop(): Promise<void> {
    this.#stopped ??= Promise.all([this.#workers.stop(), this.#consumers.stop()]).then(this.#close)
    return this.#stopped
  }
}

const isHandlers = (given: readonly Workable[] | HandlerOptions): given is HandlerOptions =>
  !Array.isArray(given) && "handlers" in Object(given)

function typesOf(handlers: HandlerOptions["handlers"]) {
  checkHandlers(handlers)
  return handledTypes(handlers)
}
