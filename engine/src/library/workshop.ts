// The workers of one process: which workflows they run, and how an attempt at each is made.
import type { Context } from "../operations/context.ts"
import { uploadDefinition } from "../operations/upload-definition.ts"
import { assert } from "../support/assert.ts"
import { badRequest, EngineError } from "../support/errors.ts"
import type { JsonObject } from "../support/json.ts"
import { checkWorkflow } from "./check-input.ts"
import { attemptInTransaction } from "./claim-in-transaction.ts"
import { attemptFunction } from "./run-function.ts"
import { attemptList, type DiesAt, type Workbench } from "./run-workflow.ts"
import { type Attempt, Worker } from "./worker.ts"
import type { AnyWorkflow } from "./workflow.ts"

export interface WorkOptions {
  /** Runs at a time; 1. */
  readonly concurrency?: number
  readonly workerId?: string
  readonly leaseMs?: number
}

export interface DrainOptions extends WorkOptions {
  /** When the process will be ended: a time, or milliseconds from now. */
  readonly deadline?: Date | number
  /** Milliseconds to spare before it; 30,000. Nothing new is begun from then on. */
  readonly reserve?: number
}

const RESERVE_MS = 30_000

export class Workshop {
  readonly #ctx: Context
  readonly #processId: string
  readonly #versions = new Map<AnyWorkflow, Promise<number>>()
  readonly #running = new Set<{ stop(): Promise<void> }>()
  readonly #diesAt: DiesAt | undefined
  #isStopped = false

  constructor(ctx: Context, processId: string, diesAt?: DiesAt) {
    this.#ctx = ctx
    this.#processId = processId
    this.#diesAt = diesAt
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
    const document = workflow.toDefinition() as unknown as JsonObject
    const uploaded = await uploadDefinition(this.#ctx, { document, actor: "local" })
    assert("result" in uploaded, "an upload without a key is never a replay")
    return uploaded.result.version
  }

  async work(workflows: readonly AnyWorkflow[], options: WorkOptions): Promise<{ stop(): Promise<void> }> {
    const { worker, stop } = await this.#hire(workflows, options)
    worker.start()
    return { stop }
  }

  async drain(
    workflows: readonly AnyWorkflow[],
    { deadline, reserve = RESERVE_MS, ...options }: DrainOptions,
  ): Promise<{ statusCode: 200; processed: number }> {
    const { worker, stop } = await this.#hire(workflows, options)
    const leftMs = deadline === undefined ? undefined : millisecondsTo(deadline) - reserve
    const timer = leftMs === undefined ? undefined : setTimeout(() => void worker.stop(), timerMs(leftMs))
    try {
      return { statusCode: 200, processed: leftMs !== undefined && leftMs <= 0 ? 0 : await worker.runOut() }
    } finally {
      clearTimeout(timer)
      await stop()
    }
  }

  async #hire(
    workflows: readonly AnyWorkflow[],
    { concurrency = 1, workerId = this.#processId, leaseMs }: WorkOptions,
  ) {
    checkWork(workflows, concurrency)
    const versions = new Map<string, number>()
    for (const workflow of workflows) versions.set(workflow.name, await this.versionOf(workflow))
    // A worker that nobody stops would ask a closed database for ever.
    if (this.#isStopped) throw new EngineError("unavailable", "the mill has been stopped")
    const stepDb = this.#ctx.db.beside(concurrency)
    const attempts: Record<string, Attempt> = {}
    for (const workflow of workflows) {
      const listVersion = versions.get(workflow.name) as number
      this.#ctx.lists.work(workflow.name, listVersion)
      const upload = (child: AnyWorkflow) => this.versionOf(child)
      const bench = { ctx: this.#ctx, stepDb, listVersion, upload, diesAt: this.#diesAt }
      attempts[workflow.name] = attemptAt(workflow, bench, workerId)
    }
    const worker = new Worker(this.#ctx, { workerId, concurrency, attempts, ...(leaseMs ? { leaseMs } : {}) })
    const end = async () => {
      await worker.stop()
      for (const [name, version] of versions) this.#ctx.lists.rest(name, version)
      await stepDb.close()
      this.#running.delete(hired)
    }
    let ended: Promise<void> | undefined
    const hired = { worker, stop: () => (ended ??= end()) }
    this.#running.add(hired)
    return hired
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#running].map((hired) => hired.stop()))
  }
}

function attemptAt(workflow: AnyWorkflow, bench: Workbench, workerId: string): Attempt {
  if (workflow.kind === "function") return (job) => attemptFunction(bench, workflow, job)
  if (workflow.claim === "transaction") return (job) => attemptInTransaction(bench, workflow, job, workerId)
  return (job) => attemptList(bench, workflow, job)
}

function checkWork(workflows: readonly AnyWorkflow[], concurrency: number): void {
  if (!Array.isArray(workflows) || workflows.length === 0)
    throw badRequest("work needs at least one workflow: mill.work([onboarding])")
  for (const workflow of workflows) checkWorkflow(workflow)
  const names = workflows.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw badRequest(`two of the workflows are called ${twice}: which of them should run?`)
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw badRequest(`concurrency must be a whole number from 1, not ${concurrency}`)
}

/** A longer timer would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
const timerMs = (ms: number): number => Math.min(LONGEST_TIMER_MS, Math.max(0, ms))

const millisecondsTo = (deadline: Date | number): number =>
  deadline instanceof Date ? deadline.getTime() - Date.now() : deadline
