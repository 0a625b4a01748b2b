// Runs as a whole: one by its id or its key, a list of them, and what failed in them without failing them.
import { type InstanceStatus, instanceMachine } from "../../model/instances/instance-machine.ts"
import { listInstancesByKey } from "../../operations/instances/list-instances-by-key.ts"
import { readPageOfInstances, showInstance } from "../../operations/instances/read-instances.ts"
import { findByKey } from "../../operations/instances/start/take-intake.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { type BestEffortFailure, listBestEffortFailures } from "../../operations/runs/read-runs.ts"
import { badRequest } from "../../support/errors.ts"
import { checkKnown } from "../authoring/check-authoring.ts"
import type { StepElement } from "../authoring/elements.ts"
import type { AnyStep } from "../authoring/step-types.ts"
import type { Stored } from "../authoring/stored.ts"
import type { AnyWorkflow, ElementsOf, ResultOf } from "../authoring/workflow.ts"
import { tellInCatalogue } from "../running/catalogue-errors.ts"
import { checkText, checkWorkflow } from "../running/check-input.ts"
import { checkWord, definitionIdOf, OF_A_RANGE, type Range, timeOf } from "./list-options.ts"
import { OF_A_PAGE, Page, type PageOptions } from "./page.ts"
import { RunHandle, type RunRecord } from "./run-handle.ts"

/** The handle of a run of this workflow. */
export type RunOf<Of extends AnyWorkflow> = RunHandle<Stored<ResultOf<Of>>, ElementsOf<Of>>

export interface RunFilter extends Range, PageOptions {
  /** What workflow(…) has returned, or the id of a definition. */
  readonly workflow?: AnyWorkflow | string | undefined
  readonly status?: InstanceStatus | undefined
  readonly businessKey?: string | undefined
  /** The version of the definition. */
  readonly version?: number | undefined
  /** Runs of `workflow` whose `key` begins so, in the order of their keys and not of their start. */
  readonly keyPrefix?: string | undefined
}

export interface RunKey {
  readonly workflow: AnyWorkflow | string
  readonly key: string
}

export interface FailureFilter extends PageOptions {
  readonly workflow: AnyWorkflow | string
  /** The step, or its name. */
  readonly step: string | AnyStep | StepElement
}

const FILTERS = ["workflow", "status", "businessKey", "version", "keyPrefix", ...OF_A_RANGE, ...OF_A_PAGE]

export class Runs {
  static {
    tellInCatalogue(Runs)
  }
  readonly #kernel: Kernel

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Reads nothing: a run that is not there is `not-found` at the first call of the handle. With its workflow the handle is typed by it. */
  handle(id: string): RunHandle
  handle<Of extends AnyWorkflow>(workflow: Of, id: string): RunOf<Of>
  handle(...given: readonly unknown[]): RunHandle {
    const hasWorkflow = given.length > 1
    const id = given[hasWorkflow ? 1 : 0] as string
    checkText(id, "the run's id")
    if (!hasWorkflow) return new RunHandle(this.#kernel, id)
    checkWorkflow(given[0])
    return new RunHandle(this.#kernel, id, given[0] as AnyWorkflow)
  }

  get(id: string): Promise<RunRecord> {
    checkText(id, "the run's id")
    return showInstance(this.#kernel, id)
  }

  /** The run that was started with this key; a key belongs to its workflow. Undefined where there is none. */
  async find(of: RunKey): Promise<RunRecord | undefined> {
    checkKnown("a run by its key", of, ["workflow", "key"])
    const { workflow, key } = of
    checkText(key, "key")
    return findByKey(this.#kernel, definitionIdOf(workflow), key)
  }

  /** Newest first. */
  async list(filter: RunFilter = {}): Promise<Page<RunRecord>> {
    checkKnown("a list of runs", filter, FILTERS)
    const { cursor, pageSize, keyPrefix } = filter
    const request = requestOf(filter)
    const by = keyPrefix === undefined ? undefined : { keyPrefix, definitionId: keyedBy(request.definitionId) }
    return Page.read({ cursor, pageSize }, (from, size) => {
      const page = { ...request, cursor: from, pageSize: size }
      return by ? listInstancesByKey(this.#kernel, { ...page, ...by }) : readPageOfInstances(this.#kernel, page)
    })
  }

  /** Best-effort steps of a workflow that failed while their runs went on, oldest run first. */
  async failures(filter: FailureFilter): Promise<Page<BestEffortFailure>> {
    checkKnown("a list of failures", filter, ["workflow", "step", ...OF_A_PAGE])
    const { workflow, step, cursor, pageSize } = filter
    const definitionId = definitionIdOf(workflow)
    const name = typeof step === "string" ? step : step?.name
    checkText(name, "the step's name")
    return Page.read({ cursor, pageSize }, (from, size) =>
      listBestEffortFailures(this.#kernel, { definitionId, step: name, cursor: from, pageSize: size }),
    )
  }
}

function requestOf({ workflow, status, businessKey, version, keyPrefix, since, before }: RunFilter) {
  checkWord(status, "status", instanceMachine.states)
  if (businessKey !== undefined) checkText(businessKey, "businessKey")
  if (keyPrefix !== undefined) checkText(keyPrefix, "keyPrefix")
  if (version !== undefined && !(Number.isInteger(version) && version > 0 && version < 2 ** 31))
    throw badRequest("version must be a whole number from 1 on")
  return {
    definitionId: workflow === undefined ? undefined : definitionIdOf(workflow),
    status,
    businessKey,
    version,
    startedAfter: timeOf(since, "since"),
    startedBefore: timeOf(before, "before"),
  }
}

function keyedBy(definitionId: string | undefined): string {
  if (definitionId === undefined) throw badRequest("keyPrefix needs workflow beside it: a key belongs to its workflow")
  return definitionId
}
