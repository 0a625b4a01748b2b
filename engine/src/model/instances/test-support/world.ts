// One instance and its world: a clock, the tables, and transactions that let events change one draft, as `advance` does.
import { EngineError } from "../../../support/errors.ts"
import type { JsonObject } from "../../../support/json.ts"
import type { CompiledDefinition } from "../../definitions/compile-definition.ts"
import { type Draft, finishDraft, openDraft, type PlanContext } from "../draft.ts"
import type { Instance } from "../instance.ts"
import { isTerminal } from "../instance-machine.ts"
import type { Plan } from "../plan.ts"
import { planRetry } from "../plan-human.ts"
import { planStart } from "../plan-start.ts"
import { must } from "./must.ts"
import { type JobRow, Tables, timerKey } from "./tables.ts"

/** One event for the instance. What it knows of job and timer was read before the draft was opened. */
export interface Item {
  readonly execution?: number
  readonly timer?: string
  /** The worker of a report without a token. */
  readonly formerly?: string | undefined
  readonly decide: (draft: Draft, facts: Facts) => void
}

export interface Facts {
  readonly job: JobRow | undefined
  readonly lost?: ReturnType<Tables["lostOf"]>
  readonly timerIsDue: boolean
}

/** `counted`: it changed the draft. `ignored`: it did not. */
export type Verdict = "counted" | "ignored" | "not-live" | EngineError

/** A delivery of a job to a worker. */
export interface Delivery {
  readonly execution: number
  readonly workerId: string
  readonly token: { readonly epoch: number; readonly nonce: string }
}

export const MAX_LOST_LEASES = 3
const SIZES = { maxWriteBytes: 262_144, maxVariablesBytes: 2_097_152 }
const LEASE_MS = 30_000

export class World {
  readonly definition: CompiledDefinition
  readonly input: JsonObject
  readonly tables: Tables
  readonly deliveries: Delivery[] = []
  readonly #random: () => number
  nowMs = 1_000_000
  lastPlan: Plan | undefined

  constructor(definition: CompiledDefinition, input: JsonObject, random: () => number = () => 0.5) {
    this.definition = definition
    this.input = input
    this.tables = new Tables(input)
    this.#random = random
  }

  get isLive(): boolean {
    return !isTerminal(this.tables.instance.status)
  }

  start(): void {
    const draft = openDraft(this.definition, this.#instance(this.input), this.#context())
    planStart(draft, "test")
    this.#write(draft)
  }

  /** Several items share one draft; a refused one has changed nothing. */
  transact(...items: readonly Item[]): Verdict[] {
    if (!this.isLive) return items.map(() => "not-live")
    const facts = items.map((item) => this.#factsOf(item))
    const { readsVariables } = this.definition
    const draft = openDraft(
      this.definition,
      this.#instance(readsVariables ? this.tables.instance.variables : undefined),
      this.#context(),
    )
    const verdicts = items.map((item, index) => decide(item, draft, facts[index] as Facts))
    if (draft.version !== this.tables.instance.version || draft.firedTimers.length > 0) this.#write(draft)
    return verdicts
  }

  /** A transaction of its own, on the row of a finished instance. */
  retry(stepId: string | undefined, patch?: JsonObject): Verdict {
    const draft = openDraft(this.definition, this.#instance(this.tables.instance.variables), this.#context())
    const item = { decide: () => planRetry(draft, { stepId, variables: patch }, "test") }
    const verdict = decide(item, draft, { job: undefined, timerIsDue: false })
    if (verdict === "counted") this.#write(draft)
    return verdict
  }

  /** Ready jobs only; the token is new, the old one is good for nothing. */
  claim(execution: number, workerId: string): Delivery {
    const job = this.tables.jobs.get(execution)
    must("S15", this.isLive && job?.status === "ready", () => `job ${execution} is claimed while ${job?.status}`)
    const epoch = job.epoch + 1
    const nonce = `00000000-0000-4000-8000-${(this.deliveries.length + 1).toString(16).padStart(12, "0")}`
    const leaseUntil = this.nowMs + Math.min(LEASE_MS, job.runMs ?? LEASE_MS)
    const runUntil = job.runMs === null ? null : this.nowMs + job.runMs
    const seenVersion = this.tables.instance.version
    this.tables.jobs.set(execution, {
      ...job,
      status: "leased",
      epoch,
      nonce,
      workerId,
      leaseUntil,
      runUntil,
      seenVersion,
    })
    const delivery = { execution, workerId, token: { epoch, nonce } }
    this.deliveries.push(delivery)
    return delivery
  }

  /** Held jobs whose time has come. */
  release(): void {
    for (const job of this.tables.jobs.values())
      if (job.status === "held" && (job.visibleAt ?? 0) <= this.nowMs)
        this.tables.jobs.set(job.execution, { ...job, status: "ready", visibleAt: null })
  }

  #factsOf({ execution, timer, formerly }: Item): Facts {
    const lost = execution === undefined || formerly === undefined ? undefined : this.tables.lostOf(execution, formerly)
    const job = execution === undefined ? undefined : this.tables.jobs.get(execution)
    const row =
      execution === undefined || timer === undefined
        ? undefined
        : this.tables.timers.get(timerKey({ execution, timer }))
    return { job, lost, timerIsDue: row !== undefined && row.dueAt <= this.nowMs }
  }

  #instance(variables: JsonObject | undefined): Instance {
    const { status, state, version } = this.tables.instance
    return {
      id: "01J00000000000000000000000",
      status,
      priority: "normal",
      businessKey: undefined,
      state,
      variables: variables ?? {},
      hasVariables: variables !== undefined,
      version,
    }
  }

  #context = (): PlanContext => ({
    nowMs: this.nowMs,
    random: this.#random,
    maxLostLeases: MAX_LOST_LEASES,
    sizes: SIZES,
  })

  #write(draft: Draft): void {
    this.lastPlan = finishDraft(draft)
    this.tables.write(this.lastPlan, this.nowMs)
    if (!this.definition.readsVariables || !this.lastPlan.delta) return
    const [planned, stored] = [
      JSON.stringify(sorted(draft.variables)),
      JSON.stringify(sorted(this.tables.instance.variables)),
    ]
    must("S25", planned === stored, () => `the plan saw ${planned}, stored is ${stored}`)
  }
}

export const sorted = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

function decide(item: Item, draft: Draft, facts: Facts): Verdict {
  if (draft.finish) return "not-live"
  const before = sizeOf(draft)
  try {
    item.decide(draft, facts)
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    must("C-66", sizeOf(draft) === before, () => `a refusal left its mark on the draft: ${error.message}`)
    return error
  }
  return sizeOf(draft) === before ? "ignored" : "counted"
}

/** Everything an event can change makes something here grow or shrink. */
function sizeOf(draft: Draft): string {
  const { closedSteps, newJobs, requeuedJobs, endedAttempts, endedJobs, newUserTasks, closedUserTasks } = draft
  const { newTimers, firedTimers, endedTimers, audit, open, forks, spentRetries } = draft
  const lists = [closedSteps, newJobs, requeuedJobs, endedAttempts, endedJobs, newUserTasks, closedUserTasks]
  const more = [newTimers, firedTimers, endedTimers, audit, open, forks, spentRetries]
  return [...lists, ...more].reduce(
    (text, list) => `${text},${list.length}`,
    `${draft.status} ${draft.version} ${draft.executions}`,
  )
}
