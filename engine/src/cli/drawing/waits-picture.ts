// Why an instance or a job is not moving, in the engine's own words, with its times as the command line writes them.
import type { wire } from "@millrace/sdk"
import { cellText, wrap } from "./cell-text.ts"
import type { Canvas, Fact } from "./table.ts"
import { moment } from "./times.ts"

/** Beside the names of the facts. */
const NAMES_WIDTH = 13

/** In whole: what to do about it often stands at the end. */
export const waitsOf = (reasons: readonly wire.WaitingReason[] = [], canvas: Canvas): readonly Fact[] =>
  reasons.flatMap((reason) => wholeFact(["Waits", wordsOf(reason)], canvas))

/** A fact over as many lines as it takes. */
export const wholeFact = ([name, value, style]: Fact, { width = Number.POSITIVE_INFINITY }: Canvas): readonly Fact[] =>
  value === undefined
    ? []
    : wrap(cellText(value), Math.max(20, width - NAMES_WIDTH)).map(
        (line, at): Fact => [at === 0 ? name : "", line, style],
      )

const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g

/** A standalone job has no step. */
function wordsOf({ stepId, kind, detail: { step = stepId, message } }: wire.WaitingReason): string {
  const words = String(message ?? kind).replace(TIME, moment)
  return step === undefined ? words : `${step}: ${words}`
}
