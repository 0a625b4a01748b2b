// Definitions of random shape that the engine accepts, and step lists.
import fc from "fast-check"
import { arbitraryDefinition } from "../../../../engine/dist/model/instances/test-support/arbitrary-definition.js"
import type { Dice } from "./dice.ts"

const SEEDS = 2 ** 31 - 1
const STEPS = ["first", "second", "third"]

/**
 * Where generated definitions lead. It has to be there, and to end at once: one that is not there, or an unfinished one that holds the
 * business key, would be tried again and again.
 */
export const NEXT_WORKFLOW = {
  id: "order:after",
  name: "After",
  steps: [
    { id: "note", name: "Note", type: "TRANSFORMATION", transformations: { after: true }, nextStep: "end" },
    { id: "end", name: "End", type: "END" },
  ],
}

/** Under one of few ids, so that versions follow one another. */
export function definitionFor(dice: Dice): Record<string, unknown> {
  const seed = dice.between(0, SEEDS)
  const id = `flow-${dice.between(0, 9)}`
  if (dice.chance(0.3)) return stepList(dice, id)
  const [sample] = fc.sample(arbitraryDefinition, { seed, numRuns: 1 })
  return { ...(sample!.document as Record<string, unknown>), id }
}

function stepList(dice: Dice, id: string): Record<string, unknown> {
  const steps = STEPS.slice(0, dice.between(1, STEPS.length)).map((name) => ({
    id: name,
    name,
    type: "SERVICE_TASK",
    jobType: dice.pick(["mail", "pay"]),
    ...(dice.chance(0.5) ? { retryCount: dice.between(0, 2) } : {}),
  }))
  return { id, name: id, execution: "steplist", recover: dice.pick(["resume", "restart"]), steps }
}
