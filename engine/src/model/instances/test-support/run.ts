// Drives one instance by step ids, for tests that tell a story; every step of it is checked against the invariants.
import type { JsonObject } from "../../../support/json.ts"
import { compileDefinition } from "../../definitions/compile-definition.ts"
import { document, parsed, type Raw } from "../../definitions/fixtures.ts"
import type { Failure } from "../plan-after-job.ts"
import { checkFold, checkInvariants } from "./invariants.ts"
import { cancel, complete, completeTask, fail, fire, signal, sweep } from "./items.ts"
import { timerKey } from "./tables.ts"
import { type Delivery, type Item, type Verdict, World } from "./world.ts"

interface Options {
  readonly variables?: JsonObject
  readonly random?: () => number
  readonly definition?: Raw
}

/** A started instance. */
export function run(steps: Raw[], { variables = {}, random, definition = {} }: Options = {}): Run {
  const compiled = compileDefinition(parsed(document(steps, definition)), 1)
  const started = new Run(new World(compiled, variables, random))
  started.world.start()
  return started.checked()
}

export class Run {
  readonly world: World

  constructor(world: World) {
    this.world = world
  }

  get status(): string {
    return this.world.tables.instance.status
  }

  get reason(): string | undefined {
    return this.world.tables.instance.failureReason
  }

  get variables(): JsonObject {
    return this.world.tables.instance.variables
  }

  /** Ids of the open steps, oldest first. */
  get open(): string[] {
    return this.world.tables.instance.state.open.map((step) => step.stepId)
  }

  /** `step STATUS` of each closed execution, in the order of the executions. */
  get history(): string[] {
    const rows = [...this.world.tables.history.values()].sort((a, b) => a.execution - b.execution)
    return rows.map((row) => `${row.stepId} ${row.status}`)
  }

  get audit(): string[] {
    return this.world.tables.audit.map((entry) => entry.kind)
  }

  get timers(): string[] {
    return [...this.world.tables.timers.keys()]
  }

  /** The number of the oldest open execution of the step. */
  execution(stepId: string): number {
    const open = this.world.tables.instance.state.open.find((step) => step.stepId === stepId)
    if (!open) throw new Error(`${stepId} is not open; open are ${this.open.join(", ")}`)
    return open.execution
  }

  job(stepId: string) {
    const job = this.world.tables.jobs.get(this.execution(stepId))
    if (!job) throw new Error(`${stepId} has no job`)
    return job
  }

  claim(stepId: string, workerId = "worker"): Delivery {
    return this.world.claim(this.execution(stepId), workerId)
  }

  complete(stepId: string, delta?: JsonObject): this {
    return this.expectCounted(complete(this.claim(stepId), delta))
  }

  fail(stepId: string, failure: Partial<Failure> = {}): this {
    return this.expectCounted(fail(this.claim(stepId), { message: "no luck", retryable: true, ...failure }))
  }

  /** The worker claims and is never heard of again. */
  lose(stepId: string): this {
    this.claim(stepId)
    const job = this.job(stepId)
    this.world.nowMs = job.leaseUntil ?? 0
    return this.expectCounted(sweep(job, this.world.nowMs))
  }

  /** Waits until the timer is due. */
  fire(stepId: string | undefined, timer: string): this {
    const execution = stepId === undefined ? 0 : this.execution(stepId)
    this.world.nowMs = this.world.tables.timers.get(timerKey({ execution, timer }))?.dueAt ?? this.world.nowMs
    return this.expectCounted(fire(execution, timer))
  }

  signal(stepId: string, variables?: JsonObject): this {
    return this.expectCounted(signal(stepId, variables))
  }

  completeTask(stepId: string, result?: JsonObject): this {
    return this.expectCounted(completeTask(stepId, result))
  }

  cancel(reason?: string): this {
    return this.expectCounted(cancel(reason))
  }

  retry(stepId: string, patch?: JsonObject): this {
    const verdict = this.world.retry(stepId, patch)
    if (verdict !== "counted") throw verdict
    return this.checked()
  }

  /** All in one draft. */
  together(...items: readonly Item[]): Verdict[] {
    const verdicts = this.world.transact(...items)
    this.checked()
    return verdicts
  }

  expectCounted(item: Item): this {
    const [verdict] = this.world.transact(item)
    if (verdict !== "counted") throw verdict instanceof Error ? verdict : new Error(`the event was ${verdict}`)
    return this.checked()
  }

  checked(): this {
    checkInvariants(this.world)
    checkFold(this.world)
    return this
  }
}
