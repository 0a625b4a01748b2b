// Signals that come before their WAIT, and are kept for it where the WAIT says so.
import { conflict } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { type Draft, record } from "./draft.ts"
import type { KeptSignal } from "./instance.ts"
import { bytesOf, refuseTooLarge, tooLarge } from "./variable-sizes.ts"

interface EarlySignal {
  readonly variables: JsonObject
  readonly actor: string
}

/**
 * Kept until a token comes to the WAIT. What no token can come to any more is refused, and so is a second signal where the
 * wait comes once only: an accepted signal is one that can be taken.
 */
export function keepEarly(draft: Draft, step: { readonly id: string }, { variables, actor }: EarlySignal): void {
  const { id: stepId } = step
  if (!("keepEarly" in step) || !step.keepEarly) throw conflict(`${stepId} is not waiting for a signal now`)
  if (!draft.open.some((open) => draft.definition.leadsTo(open.stepId, stepId)))
    throw conflict(`${stepId} is over: no path of the instance leads to it any more`)
  if (!draft.definition.mayRepeat && draft.kept.some((kept) => kept.stepId === stepId))
    throw conflict(`a signal is kept for ${stepId} already, and the instance comes to it once`)
  refuseTooLarge(draft, variables)
  const kept = [...draft.kept, { stepId, variables }]
  refuseTooMuchKept(draft, kept)
  draft.kept = kept
  record(draft, "WAIT_SIGNALLED", actor, { stepId, early: true })
}

/** Kept signals are read and written with the instance at each of its steps: together they are no larger than one write. */
function refuseTooMuchKept({ context }: Draft, kept: readonly KeptSignal[]): void {
  const { maxWriteBytes } = context.sizes
  const bytes = bytesOf(kept.map(({ stepId, variables }) => ({ stepId, variables })))
  if (bytes > maxWriteBytes)
    throw tooLarge(
      `the instance would keep ${bytes} bytes of early signals, at most ${maxWriteBytes} are allowed (WE_MAX_WRITE_BYTES)`,
    )
}
