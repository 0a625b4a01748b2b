// Waits for the end of a run or a job: told where it ends in this process, looked for where it ends elsewhere.
import { endingsOf } from "../../operations/instances/endings.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { badRequest, EngineError } from "../../support/errors.ts"
import { checkKnown } from "../authoring/check-authoring.ts"

export interface WaitTime {
  /** How long to wait at most; for as long as it takes, unless it is given. */
  readonly timeoutMs?: number | undefined
}

interface Ending<View> {
  readonly id: string
  /** The word that the error uses. */
  readonly what: "run" | "job"
  readonly read: () => Promise<View>
  readonly hasEnded: (view: View) => boolean
}

const FIRST_LOOK_MS = 20
const MOST_BETWEEN_LOOKS_MS = 1_000

export async function waitForEnd<View extends { readonly status: string }>(
  kernel: Kernel,
  { id, what, read, hasEnded }: Ending<View>,
  time: WaitTime = {},
): Promise<View> {
  checkKnown(`waiting for a ${what}`, time, ["timeoutMs"])
  const { timeoutMs = Number.POSITIVE_INFINITY } = time
  if (!(timeoutMs >= 0)) throw badRequest("timeoutMs must be a number of milliseconds, 0 or more")
  const end = performance.now() + timeoutMs
  // An end in this process is reported at once. For an end elsewhere the database is read, less and less often.
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(2 * lookMs, MOST_BETWEEN_LOOKS_MS)) {
    const over = endingsOf(kernel).wait(id, Math.max(0, Math.min(lookMs, end - performance.now())))
    const view = await read()
    if (hasEnded(view)) return view
    if (performance.now() >= end) throw stillGoing(what, id, view.status)
    await over
  }
}

const stillGoing = (what: string, id: string, status: string): EngineError =>
  new EngineError("unavailable", `${what} ${id} is still ${status}: ask again later, it goes on meanwhile`)
