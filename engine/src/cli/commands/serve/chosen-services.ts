// `millrace start --services …`: what one process does of all that an engine does.
import { LOOPS, type LoopName } from "../../../operations/kernel/loops.ts"
import { safeText } from "../../../support/redact.ts"
import { calledWrongly } from "../../command-error.ts"

export interface ChosenServices {
  readonly loops: readonly LoopName[]
  readonly rest: boolean
  readonly relay: boolean
}

/** The door for REST calls, and what sends events to sinks; everything else is a loop that one process leads at a time. */
const REST = "rest"
const RELAY = "relay"
export const SERVICE_NAMES: readonly string[] = [REST, RELAY, ...LOOPS]

/** Without the option a process does everything. */
export function chosenServices(text: string): ChosenServices {
  const names = text.split(",").map((name) => name.trim())
  const unknown = names.filter((name) => !SERVICE_NAMES.includes(name))
  if (unknown.length > 0) {
    const what = unknown.map((name) => safeText(name) || "(nothing)").join(", ")
    throw calledWrongly(`--services: there is no service ${what}; choose from ${SERVICE_NAMES.join(", ")}`)
  }
  const loops = LOOPS.filter((loop) => names.includes(loop))
  return { loops, rest: names.includes(REST), relay: names.includes(RELAY) }
}
