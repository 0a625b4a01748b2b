// A run that you hold: its result, how it stands, and everything that can be done to it. Nothing is read before it is asked.
import { isTerminal } from "../../model/instances/instance-machine.ts"
import { cancelInstance, completeUserTask, signalWait } from "../../operations/instances/change-instance.ts"
import { explainWaiting, type WaitingReason } from "../../operations/instances/explain-waiting.ts"
import type { InstanceView } from "../../operations/instances/instance-view.ts"
import { getInstance } from "../../operations/instances/read-instances.ts"
import { resultOf } from "../../operations/instances/read-result.ts"
import { type RunStepView, readSteps } from "../../operations/instances/read-steps.ts"
import { retryInstance } from "../../operations/instances/retry-instance.ts"
import { within } from "../../operations/kernel/callers.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { checkKnown } from "../authoring/check-authoring.ts"
import type { SignalElement, TaskElement } from "../authoring/elements.ts"
import type { ListElement } from "../authoring/list-element.ts"
import { validate } from "../authoring/standard-schema.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import { tellInCatalogue } from "../running/catalogue-errors.ts"
import { checkText, checkVariables } from "../running/check-input.ts"
import { type RestartOptions, restartRun } from "../running/restart-run.ts"
import type { Completing, Signal, SignalArguments, TaskArguments, UserTask, Within } from "./answer-types.ts"
import { type BadEnd, RunFailedError } from "./run-failed-error.ts"
import { type WaitTime, waitForEnd } from "./wait-for-end.ts"

/** A run as it stood when it was read. */
export type RunRecord = InstanceView

const ACTOR = "local"

export class RunHandle<Result = unknown, Elements = unknown> {
  static {
    tellInCatalogue(RunHandle)
  }
  readonly id: string
  readonly #kernel: Kernel
  readonly #workflow: AnyWorkflow | undefined

  /** `workflow`: of a run that is known to be one of it; what is sent to its waits is judged by their schemas then. */
  constructor(kernel: Kernel, id: string, workflow?: AnyWorkflow) {
    this.#kernel = kernel
    this.id = id
    this.#workflow = workflow
  }

  /**
   * What the run has come to: what the function returned, the context that a list has built up, the variables of a definition. Waits for
   * the end. Rejects with a RunFailedError when the run has failed or was cancelled, and with `unavailable` when `timeoutMs` have passed.
   */
  async result(time?: WaitTime): Promise<Result> {
    const run = await this.ended(time)
    const { id, status, failureReason: reason } = run
    if (status !== "COMPLETED") throw new RunFailedError({ id, status: status as BadEnd, reason })
    return (await resultOf(this.#kernel, run)) as Result
  }

  /** Resolves when the run has ended, well or badly, with how it stands then. */
  ended(time?: WaitTime): Promise<RunRecord> {
    const read = () => getInstance(this.#kernel, this.id)
    const hasEnded = ({ status }: RunRecord) => isTerminal(status)
    return waitForEnd(this.#kernel, { id: this.id, what: "run", read, hasEnded }, time)
  }

  async status(): Promise<RunRecord["status"]> {
    return (await getInstance(this.#kernel, this.id)).status
  }

  /** Its steps with their attempts, errors and waits: of a list all of them in its order, of a function the calls it has made. */
  async steps(): Promise<readonly RunStepView[]> {
    return (await readSteps(this.#kernel, this.id)).items
  }

  /** Why it does not move: what it waits for, who has it, which error it is tried again after. */
  waiting(): Promise<readonly WaitingReason[]> {
    return explainWaiting(this.#kernel, this.id)
  }

  /**
   * Answers the wait, given as the element of the list or by the signal's name. Kept when it comes before the run waits for it. It is sent
   * as it was given: the run itself turns it into what the schema makes of it.
   */
  async signal<Of extends Signal<Elements>>(signal: Of, ...given: SignalArguments<Of, Elements>): Promise<void> {
    const [payload, options = {}] = given as unknown as [unknown?, Within?]
    checkKnown("sending a signal", options, ["tx"])
    const wait = this.#waitOf(signal as unknown as SignalElement | string, isSignal)
    const stepId = wait && "signal" in wait ? wait.signal : (signal as unknown as string)
    checkText(stepId, "the signal's name")
    const variables = checkVariables(payload, "the payload")
    if (wait?.schema) await validate(wait.schema, variables, "payload")
    const request = { instanceId: this.id, stepId, variables, actor: ACTOR }
    await within(this.#kernel, options.tx, (own) => signalWait(this.#kernel, request, own))
  }

  /** What the run asked of a person is done: the task is given as the element of the list or by its name. */
  async completeUserTask<Of extends UserTask<Elements>>(
    task: Of,
    ...given: TaskArguments<Of, Elements>
  ): Promise<void> {
    const [result, options = {}] = given as unknown as [unknown?, Completing?]
    checkKnown("completing a user task", options, ["tx", "completedBy"])
    const { tx, completedBy } = options
    const wait = this.#waitOf(task as unknown as TaskElement | string, isTask)
    const stepId = wait ? wait.name : (task as unknown as string)
    checkText(stepId, "the user task's name")
    const variables = checkVariables(result, "the result")
    if (wait?.schema) await validate(wait.schema, variables, "result")
    const request = { instanceId: this.id, stepId, variables, completedBy, actor: ACTOR }
    await within(this.#kernel, tx, (own) => completeUserTask(this.#kernel, request, own))
  }

  /** Undefined where nothing is known of the waits of the run. */
  #waitOf(of: Answered | string, isNamed: (element: ListElement, name: string) => boolean): Answered | undefined {
    if (typeof of === "object" && of !== null) return of
    return this.#workflow?.elements.find((element) => isNamed(element, of)) as Answered | undefined
  }

  /** Ends the run where it stands. For a run that has ended already it changes nothing, and throws a conflict. */
  async cancel(options: Within & { readonly reason?: string | undefined } = {}): Promise<void> {
    checkKnown("cancelling a run", options, ["reason", "tx"])
    const { reason, tx } = options
    const request = { instanceId: this.id, reason, actor: ACTOR }
    await within(this.#kernel, tx, (own) => cancelInstance(this.#kernel, request, own))
  }

  /**
   * A failed run goes on: from the first step, or from the one that failed. What has completed or was cancelled is never changed.
   * `input` is merged over what it was started with, and is in the audit trail; steps that are on record are not done again for it.
   */
  async retry(options: { readonly input?: object | undefined } = {}): Promise<void> {
    checkKnown("retrying a run", options, ["input"])
    const { input } = options
    const variables = input === undefined ? undefined : checkVariables(input, "the input")
    await retryInstance(this.#kernel, { instanceId: this.id, variables, actor: ACTOR })
  }

  /** A new run in the place of this one, which has ended and stays as it is: from the beginning, or from a step, with other input. */
  async restart(options: RestartOptions = {}): Promise<RunHandle<Result, Elements>> {
    return new RunHandle(this.#kernel, await restartRun(this.#kernel, this.id, options), this.#workflow)
  }
}

type Answered = SignalElement | TaskElement

const isSignal = (element: ListElement, name: string): boolean => element.kind === "signal" && element.signal === name
const isTask = (element: ListElement, name: string): boolean => element.kind === "task" && element.name === name
