// What a function of the function form is given: each named call is looked up in the run's record first, and recorded when it is new.

import { endingOf } from "../../../model/instances/child-ending.ts"
import type { RunStep as PlannedStep } from "../../../model/instances/plan.ts"
import { checkSize } from "../../../operations/kernel/check-size.ts"
import { startChild } from "../../../operations/runs/start-child.ts"
import { StepTransaction } from "../../../operations/runs/step-transaction.ts"
import { badRequest } from "../../../support/errors.ts"
import type { JsonObject, JsonValue } from "../../../support/json.ts"
import { activeTrace } from "../../../support/spans.ts"
import { isA } from "../../../support/thrown.ts"
import { durationMs } from "../../authoring/delay.ts"
import type { TaskOptions, WaitOptions } from "../../authoring/elements.ts"
import { type StandardSchemaV1, validate } from "../../authoring/standard-schema.ts"
import type { Stored } from "../../authoring/stored.ts"
import { type OpenWait, park, passSignal, passSleep, type Waited } from "../../authoring/wait-elements.ts"
import type { AnyWorkflow } from "../../authoring/workflow.ts"
import type { Run, RunStep } from "../../authoring/workflow-types.ts"
import { checkText, checkVariables } from "../check-input.ts"
import type { Outcome } from "../outcome.ts"
import type { Recorded, RunRecord } from "../run-record.ts"
import { type AttemptTools, finishStep, stepCallOf } from "../run-workflow.ts"
import type { RunningJob } from "../running-job.ts"
import { endsAttempt, StepFailure } from "../step-failure.ts"
import { RunActivity } from "./run-activity.ts"
import { leftCalls, RunFailures } from "./run-failures.ts"

interface Keyed {
  readonly key?: string
}

/** How long a run whose code no longer fits its record waits before it is looked at again, perhaps by other code. */
const DIFFERENCE_MS = 60_000
const MOST_CALLS = 100_000

export class FunctionRun implements Run {
  readonly #tools: AttemptTools
  readonly #job: RunningJob
  readonly #record: RunRecord
  /** What earlier attempts have recorded and this one has not asked for yet. */
  readonly #unclaimed: Set<string>
  readonly #called = new Set<string>()
  readonly #waits = new Map<string, OpenWait>()
  readonly #tasksOver: string[] = []
  readonly #activity = new RunActivity((branches) => this.#onStill(branches))
  /** New calls that are held back until everything recorded has been asked for. */
  readonly #heldBack = new Map<string, () => void>()
  readonly #failures: RunFailures
  #park: (outcome: Outcome) => void = () => {}
  #abandon: (error: unknown) => void = () => {}
  #isOver = false
  /** Resolves when the run can only wait; rejects when its lease is lost, or the database. */
  readonly parked: Promise<Outcome>

  constructor(tools: AttemptTools, job: RunningJob, record: RunRecord) {
    this.#tools = tools
    this.#job = job
    this.#record = record
    this.#failures = new RunFailures(record)
    const left = leftCalls(record)
    this.#unclaimed = new Set(record.names.filter((name) => !left.has(name)))
    this.parked = new Promise((resolve, reject) => {
      this.#park = resolve
      this.#abandon = reject
    })
  }

  async step<Result>(
    name: string,
    fn: (step: RunStep) => Result,
    { key }: Keyed = {},
  ): Promise<Stored<Awaited<Result>>> {
    const id = this.#call(name, key)
    const done = await this.#recall(id)
    if (done?.status === "FAILED") throw this.#failed(id, new Error(done.error))
    const value = done?.status === "COMPLETED" ? done.value : await this.#during(() => this.#perform(id, fn))
    return value as Stored<Awaited<Result>>
  }

  async all<Of extends Readonly<Record<string, () => unknown>>>(branches: Of) {
    const named = Object.entries(branches).map(([name, branch]) => async () => [name, await branch()])
    return Object.fromEntries(await this.#activity.fork(named))
  }

  async child(workflow: AnyWorkflow, input: unknown, { key, name = workflow.name }: Keyed & { name?: string } = {}) {
    const id = this.#call(name, key)
    const done = await this.#recall(id)
    if (!done) await this.#during(() => this.#startChild(id, workflow, checkVariables(input, "the input")))
    const end = (await this.#wait(id, () =>
      passSignal(this.#record, { name: id, withinMs: undefined, signal: endingOf(id) }),
    )) as unknown as ChildEnd
    if (end.status === "COMPLETED") return end.result as never
    const error = new Error(`ended ${end.status}${end.reason ? `: ${end.reason}` : ""}`)
    // One that was cancelled cannot be retried: there is nothing to wait for again.
    throw end.status === "FAILED" ? this.#failed(id, error) : new StepFailure(id, error)
  }

  #failed(id: string, error: unknown): StepFailure {
    const failure = isA(error, StepFailure) ? error : new StepFailure(id, error)
    return endsAttempt(failure) ? failure : this.#failures.note(id, failure, this.#called)
  }

  /** Nobody need work on it here, or have worked on it anywhere yet. */
  async #startChild(id: string, workflow: AnyWorkflow, input: JsonObject): Promise<void> {
    await this.#tools.upload(workflow)
    const awaitedBy = { instanceId: this.#job.instanceId, step: id }
    await startChild(this.#tools.kernel, workflow.name, input, awaitedBy, activeTrace() ?? this.#job.trace)
  }

  async sleep(name: string, duration: string): Promise<void> {
    const withinMs = durationMs(`the sleep ${name}`, duration)
    const id = this.#call(name)
    await this.#recall(id)
    await this.#wait(id, () => passSleep(this.#record, { name: id, withinMs }))
  }

  async signal(name: string, { key, within, schema }: WaitOptions & Keyed = {}) {
    const withinMs = durationMs(`within of the signal ${name}`, within)
    const id = this.#call(name, key)
    await this.#recall(id)
    const payload = await this.#wait(id, () => passSignal(this.#record, { name: id, withinMs, signal: name }))
    return this.#arrived(id, payload, schema)
  }

  async userTask(name: string, { key, within, schema, assignee, group, dueIn }: TaskOptions & Keyed = {}) {
    const withinMs = durationMs(`within of the user task ${name}`, within)
    const dueInMs = durationMs(`dueIn of the user task ${name}`, dueIn)
    const id = this.#call(name, key)
    await this.#recall(id)
    const task = {
      name,
      ...(assignee === undefined ? {} : { assignee }),
      ...(group === undefined ? {} : { assigneeGroup: group }),
      ...(dueInMs === undefined ? {} : { dueInMs }),
    }
    const result = await this.#wait(id, () => passSignal(this.#record, { name: id, withinMs, signal: id, task }))
    this.#tasksOver.push(id)
    return this.#arrived(id, result, schema)
  }

  /** What does not fit fails the run, which waits again when it is retried. */
  async #arrived(id: string, value: JsonValue | undefined, schema: StandardSchemaV1 | undefined): Promise<never> {
    if (value === null || value === undefined) return undefined as never
    try {
      return (schema ? await validate(schema, value, id) : value) as never
    } catch (error) {
      throw this.#failed(id, error)
    }
  }

  /** Steps are known by name and key, never by position. */
  #call(name: string, key?: string): string {
    const id = checkCall(name, key)
    if (this.#called.has(id))
      throw badRequest(`${id} is called twice in one run: give each call a key, as in { key: item.id }`)
    if (this.#called.size >= MOST_CALLS) throw badRequest(`a run has at most ${MOST_CALLS} calls`)
    this.#called.add(id)
    this.#unclaimed.delete(id)
    if (this.#unclaimed.size === 0) this.#letGo()
    return id
  }

  #letGo(): void {
    for (const goOn of this.#heldBack.values()) goOn()
    this.#heldBack.clear()
  }

  /** A call that is new while recorded ones have not been asked for may be an old one under a new name: it must not run again. */
  async #recall(id: string): Promise<Recorded | undefined> {
    if (this.#failures.arePending) await this.#during(() => this.#failures.record())
    const found = this.#record.find(id)
    if (this.#isOver) return never()
    if (found || this.#unclaimed.size === 0) return found
    return new Promise((resolve) => {
      this.#heldBack.set(id, () => resolve(undefined))
      this.#activity.look()
    })
  }

  /** Steps on record that the function has ended with: they are done again when the run goes on. */
  toDoAgain(error: unknown): readonly PlannedStep[] {
    return this.#failures.toDoAgain(error, this.#called)
  }

  /** Gives what is recorded, not what came: the first time and every later one look alike. */
  async #perform(id: string, fn: (step: RunStep) => unknown): Promise<JsonValue | undefined> {
    const tx = new StepTransaction(this.#tools.stepDb)
    const startedAt = this.#record.now()
    try {
      this.#job.signal.throwIfAborted()
      const result = await fn({ ...stepCallOf(this.#tools.kernel, this.#job, id), tx })
      const value = this.#resultOf(id, result)
      await finishStep(this.#tools, this.#job, this.#record, tx, { name: id, status: "COMPLETED", value, startedAt })
      return value
    } catch (error) {
      await tx.rollback()
      throw this.#failed(id, error)
    }
  }

  #resultOf(id: string, result: unknown): JsonValue | undefined {
    if (result === undefined) return undefined
    const what = `what ${id} returns`
    const value = checkVariables({ result }, what).result ?? null
    checkSize(this.#tools.kernel.settings, JSON.stringify(value), what)
    return value
  }

  async #wait(id: string, look: () => Promise<Waited>): Promise<JsonValue | undefined> {
    const done = this.#record.find(id)
    if (done?.status === "COMPLETED") return done.value
    const waited = await this.#during(look)
    if ("value" in waited) return waited.value
    this.#waits.set(id, waited.wait)
    this.#activity.look()
    return never()
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isOver) return never()
    try {
      return await this.#activity.during(work)
    } catch (error) {
      if (this.#job.signal.aborted || endsAttempt(error)) return this.#lose(error)
      // The function has ended, and perhaps nobody looks at this any more: a rejection would end the process.
      if (this.#isOver) return never()
      throw error
    }
  }

  /** The function is not told: what it would do about an error, such as compensate, is no longer its to do. */
  #lose(error: unknown): Promise<never> {
    this.#isOver = true
    this.#abandon(error)
    return never()
  }

  /** A branch that neither waits nor is held back is busy with code of its own, and will come to its next call. */
  #onStill(branches: number): void {
    const standing = this.#waits.size + this.#heldBack.size
    if (this.#isOver || standing === 0 || standing < branches) return
    const [different] = this.#heldBack.keys()
    this.#isOver = true
    if (different === undefined) this.#park(park([...this.#waits.values()], this.#tasksOver))
    else this.#park({ verb: "park", waits: [], delayMs: DIFFERENCE_MS, reason: difference(different, this.#unclaimed) })
  }

  /** The function has ended, or is left: no call begins any more, and those under way are waited for, to be on record. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#activity.idle()
  }
}

interface ChildEnd {
  readonly status: string
  readonly reason?: string
  readonly result?: JsonValue
}

/** The attempt is over; what the function would do next belongs to the next one. */
const never = (): Promise<never> => new Promise(() => {})

function checkCall(name: string, key: string | undefined): string {
  const id = key === undefined ? name : `${name}/${key}`
  checkText(name, "the name of a call")
  checkText(id, "the name of a call together with its key")
  return id
}

const SHOWN = 5

function difference(id: string, unclaimed: ReadonlySet<string>): string {
  const some = [...unclaimed].slice(0, SHOWN).join(", ")
  const names = unclaimed.size > SHOWN ? `${some} and ${unclaimed.size - SHOWN} more` : some
  return `the code has changed: it asks for ${id}, which is not recorded, before it has asked for ${names}, which ${unclaimed.size === 1 ? "is" : "are"}; rename it back, or cancel the run`
}
