// What a run is told is judged at the door, by the JSON forms of its workflow's validators. A run goes by the list that its workers have
// now, so only the latest version may refuse: where that of the run's start would, the latest is asked.
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import { knownSignals, type Told, waitViolations } from "../../model/definitions/schemas/told-schemas.ts"
import { badRequest, EngineError, notFound } from "../../support/errors.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import type { Kernel } from "../kernel/kernel.ts"

type Judge = (started: CompiledDefinition, told: Told) => void

/** Nothing has been written when a payload is refused, so that `tell` can be called again. */
export async function judgedByLatest<T>(kernel: Kernel, tell: (judge: Judge) => Promise<T>): Promise<T> {
  try {
    return await tell(refuseUnfit)
  } catch (error) {
    if (!(error instanceof UnfitTold)) throw error
    definitionsOf(kernel).forgetLatest(error.judges.id)
    const latest = await definitionsOf(kernel).latest(error.judges.id)
    if (!latest || latest.version === error.judges.version) throw error.refusal
    return tell((_started, told) => {
      const refusal = refusalOf(latest, told)
      if (refusal) throw refusal
    })
  }
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
