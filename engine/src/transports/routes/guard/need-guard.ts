// What operators change of a guard that is off would have no effect, and look as if it had.
import { conflict } from "../../../support/errors.ts"
import type { Guarding } from "../../calls/guard/guard-verdicts.ts"
import type { RestOptions } from "../../calls/options.ts"

export function needGuard({ guarding }: Pick<RestOptions, "guarding">): Guarding {
  if (!guarding) throw conflict("the guard is off here: set WE_GUARD=on and start the engine again")
  return guarding
}
