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
    if (!latest || latest.version === error.judges.version) throw error
    return tell((_started, told) => refuseUnfit(latest, told))
  }
}

class UnfitTold extends EngineError {
  readonly judges: CompiledDefinition

  constructor(judges: CompiledDefinition, { code, message, details }: EngineError) {
    super(code, message, { details })
    this.judges = judges
  }
}

function refuseUnfit(judges: CompiledDefinition, told: Told): void {
  const refusal = told.isSignal ? refuseUnknown(judges, told.name) : undefined
  if (refusal) throw new UnfitTold(judges, refusal)
  const violations = waitViolations(judges, told)
  if (violations.length > 0)
    throw new UnfitTold(judges, badRequest(`what ${told.name} was told does not fit its schema`, violations))
}

/** A signal with a misspelt name would be kept for ever, and its run would wait on. */
function refuseUnknown(judges: CompiledDefinition, name: string): EngineError | undefined {
  const known = knownSignals(judges)
  // Of a step that is no wait the planner says so.
  if (!known || known.includes(name) || judges.hasStep(name)) return undefined
  const others = known.length === 0 ? "no signal at all" : known.slice(0, 10).join(", ")
  return notFound(`${judges.id} waits for no signal ${name}: it waits for ${others}`)
}
