// What an attack is: something that a stranger tries, and what came of it.
import type { Stage } from "./stage.ts"

export interface Attack {
  readonly name: string
  /** What it tries, in words for the guide. */
  readonly tries: string
  /** The rows of the specification that it tests. */
  readonly ids: readonly string[]
  /** The attack fills or measures what all share. Other attacks at the same time would disturb it. */
  readonly alone?: true
  run(stage: Stage): Promise<Outcome>
}

export interface Outcome {
  /** False where the attack got what it wanted. */
  readonly held: boolean
  /** The figures, for the table. */
  readonly told: string
}

/** Every statement of what has to be true; the outcome holds where all of them do, and tells those that do not. */
export function outcomeOf(told: string, holds: Readonly<Record<string, boolean>>): Outcome {
  const broken = Object.entries(holds).flatMap(([statement, isTrue]) => (isTrue ? [] : [statement]))
  if (broken.length === 0) return { held: true, told }
  return { held: false, told: `${told}; NOT TRUE: ${broken.join("; ")}` }
}
