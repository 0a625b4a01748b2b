// What a function of the function form is given: each named call is looked up in the run's record first, and recorded when it is new.

import { AsyncLocalStorage } from "node:async_hooks"
import { endingOf } from "../../../model/instances/child-ending.ts"
import type { RunStep as PlannedStep, RunWaitKind } from "../../../model/instances/plan.ts"
import { checkSize } from "../../../operations/kernel/check-size.ts"
import { startChild } from "../../../operations/runs/start-child.ts"
import { StepTransaction } from "../../../operations/runs/step-transaction.ts"
import { badRequest } from "../../../support/errors.ts"
import type { JsonObject, JsonValue } from "../../../support/json.ts"
import { activeTrace } from "../../../support/spans.ts"
import { isA } from "../../../support/thrown.ts"
import { checkKnown } from "../../authoring/check-authoring.ts"
import { durationMs } from "../../authoring/delay.ts"
import {
  OF_A_TASK,
  readSleep,
  readWait,
  type StepElement,
  type TaskOptions,
  type WaitOptions,
} from "../../authoring/elements.ts"
import { present } from "../../authoring/present.ts"
import { NonRetryableError } from "../../authoring/retries/error-kind.ts"
import { LIMITS, readLimits } from "../../authoring/retries/step-limits.ts"
import type { Stored } from "../../authoring/stored.ts"
import {
  type OpenWait,
  park,
  passSignal,
  passSleep,
  type SignalWait,
  type Waited,
} from "../../authoring/wait-elements.ts"
import type { AnyWorkflow } from "../../authoring/workflow.ts"
import type { CallOptions, Run, RunStep } from "../../authoring/workflow-types.ts"
import { checkBranches, checkCall, checkVariables, checkWorkflow } from "../check-input.ts"
import type { Outcome } from "../outcome.ts"
import type { Recorded, RunRecord } from "../run-record.ts"
import { type AttemptTools, callStep, finishStep, judgeStep } from "../run-workflow.ts"
import type { RunningJob } from "../running-job.ts"
import { endsAttempt, StepFailure } from "../step-failure.ts"
import type { Judged } from "../tries/judge-error.ts"
import { StepTries } from "../tries/step-tries.ts"
import { parkDifferent } from "./park-different.ts"
import { RunActivity } from "./run-activity.ts"
import { leftCalls, RunFailures } from "./run-failures.ts"

interface Keyed {
  readonly key?: string
}

const MOST_CALLS = 100_000

interface RunParts {
  readonly tools: AttemptTools
  readonly workflow: AnyWorkflow
  readonly job: RunningJob
  readonly record: RunRecord
}

export class FunctionRun implements Run {
  readonly #tools: AttemptTools
  readonly #workflow: AnyWorkflow
  readonly #job: RunningJob
  readonly #record: RunRecord
  readonly #tries: StepTries
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

  constructor({ tools, workflow, job, record }: RunParts) {
    this.#tools = tools
    this.#workflow = workflow
    this.#job = job
    this.#record = record
    this.#tries = new StepTries(tools.kernel, job)
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
    options: CallOptions<Result> = {},
  ): Promise<Stored<Awaited<Result>>> {
    checkKnown(`step ${name}`, options, [...LIMITS, "key", "undo"])
    const { key, undo, ...limits } = options
    const element = { run: fn, ...present(readLimits(`step ${name}`, limits)) }
    const id = this.#call(name, key)
    if (typeof fn !== "function") throw badRequest(`step ${id} has no function: write run.step("${name}", fn)`)
    const done = await this.#recall(id)
    const called = { ...element, name: id, isUndoable: undo !== undefined }
    const value = done?.status === "COMPLETED" ? done.value : await this.#during(() => this.#perform(called))
    return value as Stored<Awaited<Result>>
  }

  async all<Of extends Readonly<Record<string, () => unknown>>>(branches: Of) {
    checkBranches(branches)
    const outer = this.#branch()
    const named = Object.entries(branches).map(
      ([name, branch]) =>
        () =>
          inBranch.run({ run: this, names: [...outer, name] }, async () => [name, await branch()]),
    )
    return Object.fromEntries(await this.#activity.fork(named))
  }

  async child(workflow: AnyWorkflow, input: unknown, options: Keyed & { name?: string } = {}) {
    checkWorkflow(workflow)
    checkKnown(`the child ${workflow.name}`, options, ["key", "name"])
    const { key, name = workflow.name } = options
    const id = this.#call(name, key, "child")
    this.#record.describe(id, { child: workflow.name })
    const done = await this.#recall(id)
    if (!done) await this.#during(() => this.#startChild(id, workflow, checkVariables(input, "the input")))
    const end = (await this.#wait(id, () =>
      passSignal(this.#record, { name: id, withinMs: undefined, signal: endingOf(id) }),
    )) as unknown as ChildEnd
    if (end.status === "COMPLETED") return end.result as never
    const error = new NonRetryableError(`ended ${end.status}${end.reason ? `: ${end.reason}` : ""}`)
    // One that was cancelled cannot be retried: there is nothing to wait for again.
    throw end.status === "FAILED" ? this.#failed(id, error) : new StepFailure(id, error)
  }

  #failed(id: string, error: unknown, facts: CallFacts = {}): StepFailure {
    const failure = isA(error, StepFailure) ? error : new StepFailure(id, error, facts)
    return endsAttempt(failure) ? failure : this.#failures.note(id, failure, this.#called)
  }

  /** Uploads the child's definition first, so no worker of it has to run in this process or to have run before. */
  async #startChild(id: string, workflow: AnyWorkflow, input: JsonObject): Promise<void> {
    await this.#tools.upload(workflow)
    const trace = activeTrace() ?? this.#job.trace
    const child = { definitionId: workflow.name, payload: input, step: id, trace }
    await startChild(this.#tools.kernel, this.#job.lease, child)
  }

  async sleep(name: string, duration: string): Promise<void> {
    const id = this.#call(name, undefined, "sleep")
    const withinMs = readSleep(name, duration)
    await this.#recall(id)
    await this.#wait(id, () => passSleep(this.#record, { name: id, withinMs }))
  }

  async signal(name: string, options: WaitOptions & Keyed = {}) {
    const limits = readWait(`the signal ${name}`, options)
    const id = this.#call(name, options.key, "signal")
    await this.#recall(id)
    return this.#hear({ name: id, signal: name, ...limits })
  }

  async userTask(name: string, options: TaskOptions & Keyed = {}) {
    const limits = readWait(`the user task ${name}`, options, OF_A_TASK)
    const { key, assignee, group, dueIn } = options
    const dueInMs = durationMs(`dueIn of the user task ${name}`, dueIn)
    const id = this.#call(name, key, "user-task")
    const task = {
      name,
      ...(assignee === undefined ? {} : { assignee }),
      ...(group === undefined ? {} : { assigneeGroup: group }),
      ...(dueInMs === undefined ? {} : { dueInMs }),
    }
    try {
      await this.#recall(id)
      return await this.#hear({ name: id, signal: id, task, ...limits })
    } finally {
      // Also where its time is over: a person need not see it any more.
      this.#tasksOver.push(id)
    }
  }

  /** Its time may be over: that fails the call, and the function may catch it as any failure. */
  async #hear(wait: SignalWait): Promise<never> {
    try {
      return ((await this.#wait(wait.name, () => passSignal(this.#record, wait))) ?? undefined) as never
    } catch (error) {
      throw this.#failed(wait.name, error)
    }
  }

  /** Steps are known by name and key, never by position. */
  #call(name: string, key?: string, kind?: RunWaitKind): string {
    const id = checkCall(name, key, kind)
    if (this.#called.has(id))
      throw badRequest(`${id} is called twice in one run: give each call a key, as in { key: item.id }`)
    if (this.#called.size >= MOST_CALLS) throw badRequest(`a run has at most ${MOST_CALLS} calls`)
    this.#called.add(id)
    this.#unclaimed.delete(id)
    const branch = this.#branch()
    if (kind || branch.length > 0) this.#record.describe(id, { kind, ...(branch.length > 0 ? { branch } : {}) })
    if (this.#unclaimed.size === 0) this.#letGo()
    return id
  }

  #branch(): readonly string[] {
    const within = inBranch.getStore()
    return within?.run === this ? within.names : []
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
    // The function has gone on after it once, and is to find it again: it is not tried any more.
    if (found?.status === "FAILED") throw this.#failed(id, new NonRetryableError(found.error))
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
  async #perform(element: CalledStep & { readonly isUndoable: boolean }): Promise<JsonValue | undefined> {
    const { name, isUndoable: undo } = element
    const tx = new StepTransaction(this.#tools.stepDb)
    const { attempt, failures } = await this.#tries.onRecord([name])
    const startedAt = this.#record.now()
    try {
      if (undo) await this.#tools.uploadUndo(this.#job.definitionId)
      this.#job.signal.throwIfAborted()
      const caller = { tools: this.#tools, job: this.#job, workflow: this.#workflow }
      const value = this.#resultOf(name, await callStep(caller, element, { attempt, data: { tx } }))
      const step = { name, status: "COMPLETED", value, startedAt, undo } as const
      await finishStep(this.#tools, this.#job, this.#record, tx, step)
      return value
    } catch (error) {
      await tx.rollback()
      const judged = judgeStep(this.#workflow, this.#job)(element, error, failures)
      throw this.#failed(name, error, { judged, startedAt })
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
      // The function has ended, and perhaps no code awaits this any more: a rejection would end the process.
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
    if (this.#failures.arePending) return this.#goOnWithout()
    const [different] = this.#heldBack.keys()
    this.#isOver = true
    if (different === undefined) this.#park(park([...this.#waits.values()], this.#tasksOver))
    else this.#park(parkDifferent(different, this.#unclaimed))
  }

  /** The function waits in spite of failures that it has not looked at: it finds them again at the next attempt. */
  #goOnWithout(): void {
    this.#during(() => this.#failures.record()).catch((error) => this.#lose(error))
  }

  /** The function has ended, or is left: no call begins any more, and those under way are waited for, to be on record. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#activity.idle()
  }
}

interface CallFacts {
  readonly judged?: Judged
  readonly startedAt?: number
}

/** The branches of `run.all` that a call is made in. */
const inBranch = new AsyncLocalStorage<{ readonly run: FunctionRun; readonly names: readonly string[] }>()

interface CalledStep extends Pick<StepElement, "name" | "retry" | "timeoutMs"> {
  readonly run: (step: RunStep) => unknown
}

interface ChildEnd {
  readonly status: string
  readonly reason?: string
  readonly result?: JsonValue
}

/** The attempt is over; what the function would do next belongs to the next one. */
const never = (): Promise<never> => new Promise(() => {})
