// How a run is parked whose code no longer fits its record: it says what differs.
import type { Parked } from "../outcome.ts"

/** Then it is looked at again, perhaps by other code. */
const LOOK_AGAIN_MS = 60_000

/** `id`: the call that is asked for, and not on record; `unclaimed`: those on record that have not been asked for. */
export const parkDifferent = (id: string, unclaimed: ReadonlySet<string>): Parked => ({
  verb: "park",
  waits: [],
  delayMs: LOOK_AGAIN_MS,
  reason: difference(id, unclaimed),
})

const SHOWN = 5

function difference(id: string, unclaimed: ReadonlySet<string>): string {
  const some = [...unclaimed].slice(0, SHOWN).join(", ")
  const names = unclaimed.size > SHOWN ? `${some} and ${unclaimed.size - SHOWN} more` : some
  return `the code has changed: it asks for ${id}, which is not recorded, before it has asked for ${names}, which ${unclaimed.size === 1 ? "is" : "are"}; rename it back, put a new call behind those, or cancel the run`
}
