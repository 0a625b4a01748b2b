// Where a restart may begin, and what of the run that has ended it takes over.
import { badRequest, type EngineError } from "../../support/errors.ts"
import type { CompiledDefinition } from "../definitions/compile-definition.ts"
import { formerNames } from "./former-names.ts"
import type { RunStepStatus } from "./plan.ts"
import { wentTo } from "./went-to.ts"

export interface Restart {
  /** The run that has ended. */
  readonly of: string
  /** Undefined: from the beginning. */
  readonly stepId?: string | undefined
}

export interface OnRecord {
  readonly name: string
  readonly status: RunStepStatus
  /** JSON text. */
  readonly value?: string | null
}

/** Undefined where the step is one that a run can begin with. */
export function restartFault(
  definition: CompiledDefinition,
  stepId: string,
  recorded: readonly OnRecord[],
): EngineError | undefined {
  if (definition.isFunction) return functionFault(stepId, recorded)
  // The whole list is a step too, to the planner alone.
  const isKnown = definition.hasStep(stepId) && !(definition.isList && stepId === definition.entry.id)
  if (!isKnown) return badRequest(`the definition has no step ${stepId} to restart from`)
  if (definition.isList) return listFault(definition, stepId)
  const { type } = definition.step(stepId)
  if (type !== "JOIN_GATEWAY" && !definition.isInFork(stepId)) return undefined
  return badRequest(
    `${stepId} is inside a fork: its other branches would be missing. Restart from the fork, or before it`,
  )
}

function functionFault(stepId: string, recorded: readonly OnRecord[]): EngineError | undefined {
  const names = recorded.map(({ name }) => name)
  if (names.includes(stepId)) return undefined
  return badRequest(`the run has no step ${stepId} on record; it has ${names.slice(0, 20).join(", ") || "none"}`)
}

function listFault({ definition }: CompiledDefinition, stepId: string): EngineError | undefined {
  if (definition.recover === "resume") return undefined
  return badRequest(
    `${stepId} cannot be restarted from: the list has recover "restart", which keeps no record of its steps`,
  )
}

/** Names on record of steps before the one to begin with: in a list as it is written, in a function as they ended. */
export function takenOver(
  definition: CompiledDefinition,
  stepId: string,
  recorded: readonly OnRecord[],
): readonly string[] {
  if (!definition.isFunction) return listTakesOver(definition, stepId, recorded)
  const done = recorded.filter(({ status }) => status !== "WAITING").map(({ name }) => name)
  const at = recorded.findIndex(({ name }) => name === stepId)
  const before = new Set(recorded.slice(0, at).map(({ name }) => name))
  return done.filter((name) => before.has(name))
}

/** A wait that led past the step is waited for again: its way is not the one that is asked for. */
function listTakesOver(
  definition: CompiledDefinition,
  stepId: string,
  recorded: readonly OnRecord[],
): readonly string[] {
  const before = namesBefore(definition, stepId)
  const isKept = ({ name, status, value }: OnRecord): boolean => {
    if (status === "WAITING" || !before.has(name)) return false
    const target = wentTo({ status, value: value ? JSON.parse(value) : null })
    return target === undefined || target === stepId || before.has(target)
  }
  return recorded.filter(isKept).map(({ name }) => name)
}

/** With the names that these steps had before. */
function namesBefore({ definition }: CompiledDefinition, stepId: string): ReadonlySet<string> {
  const at = definition.steps.findIndex(({ id }) => id === stepId)
  const former = formerNames(definition)
  return new Set(definition.steps.slice(0, at).flatMap(({ id }) => [id, ...(former.get(id) ?? [])]))
}
