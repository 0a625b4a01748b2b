// Restart: a new run in the place of one that has ended, from its beginning or from a step. The one that has ended stays as it is.
import type { Transaction } from "../../db/transaction.ts"
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import { isTerminal } from "../../model/instances/instance-machine.ts"
import { restartFault, takenOver } from "../../model/instances/restart.ts"
import { findInstance, type OneInstanceRow } from "../../store/instances/instances.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { copyRunSteps, listRunSteps } from "../../store/runs/run-steps.ts"
import { conflict, notFound } from "../../support/errors.ts"
import { isUlid } from "../../support/ids.ts"
import type { JsonObject } from "../../support/json.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { type Started, type StartRequest, startInstance } from "./start/start-instance.ts"

export interface RestartRequest {
  readonly instanceId: string
  /** Undefined: from the beginning. */
  readonly fromStep?: string | undefined
  /** Merged, shallowly, over what the new run begins with. */
  readonly variables?: JsonObject | undefined
  /** The latest unless it is given. */
  readonly definitionVersion?: number | undefined
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
  readonly trace?: string | undefined
}

/** A restart from a step of a list takes over what is on record of the steps before it, in the transaction that starts the run. */
export async function restartInstance(kernel: Kernel, request: RestartRequest): Promise<Started> {
  const row = await endedRun(kernel, request.instanceId)
  const definition = await definitionFor(kernel, row, request)
  const start = startOf(row, definition, request)
  if (request.fromStep === undefined) return startInstance(kernel, start)
  const names = await namesBefore(kernel, definition, request)
  if (!definition.isList) return startInstance(kernel, start)
  return kernel.db.transaction((tx) => startFrom(kernel, tx, start, names))
}

async function startFrom(
  kernel: Kernel,
  tx: Transaction,
  start: StartRequest,
  names: readonly string[],
): Promise<Started> {
  const started = await startInstance(kernel, start, tx)
  if (!started.isRepeat && start.restart) copyRunSteps(tx, { from: start.restart.of, to: started.instance.id, names })
  return started
}

async function endedRun(kernel: Kernel, instanceId: string): Promise<OneInstanceRow> {
  const row = isUlid(instanceId) ? await findInstance(kernel.db.aside, instanceId) : undefined
  if (!row) throw notFound(`there is no instance ${instanceId.slice(0, 64)}`)
  if (!isTerminal(row.status))
    throw conflict(`the instance is ${row.status}: cancel it first, only one that has ended can be restarted`)
  return row
}

async function definitionFor(
  kernel: Kernel,
  { id, definition_id, undone_by }: OneInstanceRow,
  { definitionVersion, fromStep }: RestartRequest,
): Promise<CompiledDefinition> {
  const definition =
    definitionVersion === undefined
      ? await definitionsOf(kernel).latest(definition_id)
      : await definitionsOf(kernel).version(definition_id, definitionVersion)
  if (!definition) throw notFound(`there is no definition ${definition_id} version ${definitionVersion}`)
  if (fromStep !== undefined && undone_by !== null)
    throw conflict(`run ${undone_by} undoes the steps of ${id}: restart it from the beginning`)
  return definition
}

/** The names of the recorded steps that the new run does not do again. Refuses a step that a run cannot begin with. */
async function namesBefore(
  kernel: Kernel,
  definition: CompiledDefinition,
  { instanceId, fromStep = "" }: RestartRequest,
): Promise<readonly string[]> {
  const recorded = definition.isList ? await listRunSteps(kernel.db, instanceId) : []
  const fault = restartFault(definition, fromStep, recorded)
  if (fault) throw fault
  return definition.isList ? takenOver(definition, fromStep, recorded) : []
}

/** From a step of a graph it goes on with what the first run had come to; all others begin as that one began. */
function startOf(row: OneInstanceRow, { isList, version }: CompiledDefinition, request: RestartRequest): StartRequest {
  const { fromStep: stepId, variables, actor, requestKey, trace } = request
  const begins = stepId === undefined || isList ? (row.input ?? row.variables) : row.variables
  return {
    definitionId: row.definition_id,
    definitionVersion: version,
    variables: { ...(JSON.parse(begins) as JsonObject), ...variables },
    businessKey: row.business_key ?? undefined,
    linkingId: row.linking_id ?? undefined,
    priority: row.priority,
    parentId: row.id,
    isInherited: true,
    restart: { of: row.id, stepId },
    actor,
    requestKey,
    trace,
  }
}
