// What a run is told is judged at the door, by the JSON forms of its workflow's validators. A run goes by the list that its workers have
// now, so the version of its start does not refuse alone: where it would, those that may go on with the run are asked. That is the latest,
// and after the rollback of a deploy an older one: what that waits for the latest may not know.
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import { knownSignals, type Told, waitViolations } from "../../model/definitions/schemas/told-schemas.ts"
import { listVersionsAtHand } from "../../store/runs/list-versions.ts"
import { badRequest, EngineError, notFound } from "../../support/errors.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import type { Kernel } from "../kernel/kernel.ts"

type Judge = (started: CompiledDefinition, told: Told) => void

/** Nothing has been written when a payload is refused, so that `tell` can be called again. */
export async function judgedByWorkers<T>(
  kernel: Kernel,
  instanceId: string,
  tell: (judge: Judge) => Promise<T>,
): Promise<T> {
  try {
    return await tell(refuseUnfit)
  } catch (error) {
    if (!(error instanceof UnfitTold)) throw error
    const others = await othersAtHand(kernel, instanceId, error.judges)
    if (others.length === 0) throw error.refusal
    return tell((_started, told) => {
      const refusals = others.map((judges) => refusalOf(judges, told))
      if (!refusals.includes(undefined)) throw refusals[0]
    })
  }
}

/** The newest first: its refusal is the one to tell. */
async function othersAtHand(kernel: Kernel, instanceId: string, { id, version }: CompiledDefinition) {
  const definitions = definitionsOf(kernel)
  definitions.forgetLatest(id)
  const latest = await definitions.latest(id)
  const worked = await listVersionsAtHand(kernel.db.aside, { instanceId, list: id })
  const versions = new Set([latest?.version ?? version, ...worked].filter((other) => other !== version))
  const found = [...versions].sort((a, b) => b - a).map((other) => definitions.version(id, other))
  return (await Promise.all(found)).filter((other) => other !== undefined)
}

/** Says to the function above whose refusal it was. What a caller gets is the refusal. */
class UnfitTold extends EngineError {
  readonly judges: CompiledDefinition
  readonly refusal: EngineError

  constructor(judges: CompiledDefinition, refusal: EngineError) {
    super(refusal.code, refusal.message)
    this.judges = judges
    this.refusal = refusal
  }
}

function refuseUnfit(judges: CompiledDefinition, told: Told): void {
  const refusal = refusalOf(judges, told)
  if (refusal) throw new UnfitTold(judges, refusal)
}

function refusalOf(judges: CompiledDefinition, told: Told): EngineError | undefined {
  const unknown = told.isSignal ? refuseUnknown(judges, told.name) : undefined
  if (unknown) return unknown
  const violations = waitViolations(judges, told)
  return violations.length > 0
    ? badRequest(`what ${told.name} was told does not fit its schema`, violations)
    : undefined
}

/** A signal with a misspelt name would be kept for ever, and its run would wait on. */
function refuseUnknown(judges: CompiledDefinition, name: string): EngineError | undefined {
  const known = knownSignals(judges)
  // The name of a step that is no wait is left to the planner: its refusal says what the step is.
  if (!known || known.includes(name) || judges.hasStep(name)) return undefined
  const others = known.length === 0 ? "no signal at all" : known.slice(0, 10).join(", ")
  return notFound(`${judges.id} waits for no signal ${name}: it waits for ${others}`)
}
