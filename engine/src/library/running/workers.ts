// The workers of one process: which workflows and jobs they run, and how an attempt at each is made.

import { undoDefinition, undoIdOf } from "../../model/instances/undo.ts"
import { declareJobType } from "../../operations/flow/declare-job-type.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { seriesOf } from "../../operations/observability/counter-series.ts"
import { listVersionsOf } from "../../operations/runs/list-versions.ts"
import { badRequest, EngineError } from "../../support/errors.ts"
import { checkKnown } from "../authoring/check-authoring.ts"
import { typeDefaults } from "../authoring/enqueue-options.ts"
import { type HandledType, handled } from "../authoring/handler.ts"
import { handlerFailure } from "../authoring/handler-failure.ts"
import { type AnyJob, isJob } from "../authoring/job.ts"
import { present } from "../authoring/present.ts"
import { NonRetryableError } from "../authoring/retries/error-kind.ts"
import { isUndoable } from "../authoring/to-definition.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import { attemptJob } from "./attempt-job.ts"
import { checkWorkflow } from "./check-input.ts"
import { attemptInTransaction } from "./claim-in-transaction.ts"
import { DeclaredDownstreams, downstreamsOf } from "./declared-downstreams.ts"
import { Definitions } from "./definitions.ts"
import { attemptFunction } from "./function-form/run-function.ts"
import type { Outcome } from "./outcome.ts"
import { type AttemptTools, attemptList, type DiesAt } from "./run-workflow.ts"
import type { RunningJob } from "./running-job.ts"
import { attemptUndo } from "./undo-run.ts"
import { type Attempt, type Drained, Worker } from "./worker.ts"

export type { Drained } from "./worker.ts"

/** What a worker can be given to do. */
export type Workable = AnyWorkflow | AnyJob

type Work = Workable | HandledType

export interface WorkOptions {
  /** Runs at a time; 1, and 64 where `handlers` are given. */
  readonly concurrency?: number
  readonly workerId?: string
  readonly leaseMs?: number
}

export interface DrainOptions extends WorkOptions {
  /** When the process will be ended: a time, milliseconds from now, or a function that says how many milliseconds are left. */
  readonly deadline?: Date | number | (() => number)
  /** Milliseconds to spare before it; 30,000. Nothing new is begun from then on. */
  readonly reserve?: number
}

const OF_A_WORKER = ["concurrency", "workerId", "leaseMs"]
const RESERVE_MS = 30_000

export class Workers {
  readonly #kernel: Kernel
  readonly #processId: string
  readonly #definitions: Definitions
  readonly #versions = new Map<AnyWorkflow, Promise<number>>()
  readonly #undos = new Map<string, Promise<unknown>>()
  readonly #running = new Set<{ stop(): Promise<void> }>()
  readonly downstreams: DeclaredDownstreams
  readonly #diesAt: DiesAt | undefined
  #isStopped = false

  constructor(kernel: Kernel, processId: string, diesAt?: DiesAt) {
    this.#kernel = kernel
    this.#processId = processId
    this.#diesAt = diesAt
    this.#definitions = new Definitions(kernel)
    this.downstreams = new DeclaredDownstreams(kernel)
  }

  /** Uploaded at its first use: the API shows it like any other definition. */
  async versionOf(workflow: AnyWorkflow): Promise<number> {
    checkWorkflow(workflow)
    let version = this.#versions.get(workflow)
    if (!version) {
      version = this.#upload(workflow)
      version.catch(() => this.#versions.delete(workflow))
      this.#versions.set(workflow, version)
    }
    return version
  }

  async #upload(workflow: AnyWorkflow): Promise<number> {
    if (workflow.elements.some(isUndoable)) await this.#undoOf(workflow.name)
    return (await this.#definitions.upload(workflow.toDefinition())).version
  }

  #undoOf(name: string): Promise<unknown> {
    const known = this.#undos.get(name) ?? this.#definitions.upload(undoDefinition(name))
    known.catch(() => this.#undos.delete(name))
    this.#undos.set(name, known)
    return known
  }

  async work(works: readonly Work[], options: WorkOptions): Promise<{ stop(): Promise<void> }> {
    checkKnown("work", options, OF_A_WORKER)
    const { worker, stop } = await this.#openWorker(works, options)
    worker.start()
    return { stop }
  }

  async drain(works: readonly Work[], given: DrainOptions): Promise<Drained> {
    checkKnown("drain", given, [...OF_A_WORKER, "deadline", "reserve"])
    const { deadline, reserve = RESERVE_MS, ...options } = given
    const leftMs = countdown(deadline)
    checkMilliseconds(reserve, "reserve")
    const { worker, stop } = await this.#openWorker(works, options)
    try {
      return await worker.runOut(() => leftMs() > reserve)
    } finally {
      await stop()
    }
  }

  async #openWorker(works: readonly Work[], { concurrency = 1, workerId = this.#processId, leaseMs }: WorkOptions) {
    checkWork(works, concurrency)
    checkLease(leaseMs)
    const versions = new Map<string, number>()
    for (const work of works) if (isWorkflow(work)) versions.set(work.name, await this.versionOf(work))
    await this.downstreams.declare(works.flatMap((work) => (work.kind === "handler" ? [] : downstreamsOf(work))))
    await this.#declareTypes(works.filter(isJob))
    // A worker that is not stopped would ask a closed database for ever.
    if (this.#isStopped) throw new EngineError("unavailable", "the mill has been stopped")
    const stepDb = this.#kernel.db.beside(concurrency)
    for (const [name, version] of versions) listVersionsOf(this.#kernel).work(name, version)
    const toolsOf = (name: string) => ({
      kernel: this.#kernel,
      stepDb,
      listVersion: versions.get(name) as number,
      upload: (child: AnyWorkflow) => this.versionOf(child),
      uploadUndo: (name: string) => this.#undoOf(name),
      diesAt: this.#diesAt,
    })
    const attempts: Record<string, Attempt> = {}
    for (const work of works) {
      if (isJob(work)) attempts[work.name] = (job) => attemptJob(this.#kernel, work, job)
      else if (work.kind === "handler") attempts[work.name] = handled(work.handler)
      else Object.assign(attempts, attemptsAt(work, toolsOf(work.name), workerId))
    }
    const worker = new Worker(this.#kernel, { workerId, concurrency, attempts, ...present({ leaseMs }) })
    const end = async () => {
      await worker.stop()
      seriesOf(this.#kernel).workers.leave(workerId)
      for (const [name, version] of versions) listVersionsOf(this.#kernel).rest(name, version)
      await stepDb.close()
      this.#running.delete(open)
    }
    let ended: Promise<void> | undefined
    const open = { worker, stop: () => (ended ??= end()) }
    this.#running.add(open)
    return open
  }

  /** For jobs of other doors: a route or a schedule knows the name of a type alone. */
  async #declareTypes(jobs: readonly AnyJob[]): Promise<void> {
    const { jobRetries } = this.#kernel.settings
    for (const { name, defaults } of jobs) await declareJobType(this.#kernel, name, typeDefaults(defaults, jobRetries))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#running].map((open) => open.stop()))
  }
}

const isWorkflow = (work: Work): work is AnyWorkflow => work.kind === "list" || work.kind === "function"

/** At its runs, and at those that undo them: which steps of a function can be undone, only its runs know. */
function attemptsAt(workflow: AnyWorkflow, tools: AttemptTools, workerId: string): Record<string, Attempt> {
  const { name, kind, elements } = workflow
  const attempt = attemptOf(workflow, tools, workerId)
  const run: Attempt = async (job) => (job.definitionId === "" ? notStarted(job) : attempt(job))
  if (kind !== "function" && !elements.some(isUndoable)) return { [name]: run }
  return { [name]: run, [undoIdOf(name)]: (job) => attemptUndo(tools, workflow, job) }
}

function attemptOf(workflow: AnyWorkflow, tools: AttemptTools, workerId: string): Attempt {
  if (workflow.kind === "function") return (job) => attemptFunction(tools, workflow, job)
  if (workflow.claim === "transaction") return (job) => attemptInTransaction(tools, workflow, job, workerId)
  return (job) => attemptList(tools, workflow, job)
}

/** A job by the name of a workflow has no run that its steps could be recorded in. */
const notStarted = ({ jobType }: RunningJob): Outcome =>
  handlerFailure(new NonRetryableError(`${jobType} is a workflow: start it, it cannot be enqueued as a job`))

function checkWork(works: readonly Work[], concurrency: number): void {
  if (!Array.isArray(works) || works.length === 0)
    throw badRequest("work needs at least one workflow or job, mill.work([onboarding]), or mill.work({ handlers })")
  for (const work of works) if (!isJob(work) && Object(work).kind !== "handler") checkWorkflow(work)
  const names = works.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw badRequest(`two of them are called ${twice}: which of them should run?`)
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw badRequest(`concurrency must be a whole number from 1, not ${concurrency}`)
}

/** Counts from now on: what comes before the first claim takes its time too. */
function countdown(deadline: DrainOptions["deadline"]): () => number {
  if (deadline === undefined) return () => Number.POSITIVE_INFINITY
  if (typeof deadline === "function") return deadline
  const leftMs = deadline instanceof Date ? deadline.getTime() - Date.now() : deadline
  checkMilliseconds(leftMs, "deadline")
  const endsAt = performance.now() + leftMs
  return () => endsAt - performance.now()
}

const LONGEST_LEASE_MS = 3_600_000

/** The database would refuse each claim, again and again, and the worker would have nothing to do. */
function checkLease(leaseMs: unknown): void {
  if (leaseMs === undefined) return
  if (!Number.isInteger(leaseMs) || (leaseMs as number) < 1000 || (leaseMs as number) > LONGEST_LEASE_MS)
    throw badRequest(
      `leaseMs must be a whole number of milliseconds from 1000 to ${LONGEST_LEASE_MS}, not ${JSON.stringify(leaseMs)}`,
    )
}

function checkMilliseconds(value: unknown, name: string): void {
  if (typeof value !== "number" || Number.isNaN(value)) throw badRequest(`${name} must be a number of milliseconds`)
}
