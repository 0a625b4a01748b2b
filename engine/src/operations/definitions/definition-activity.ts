// Where the live instances of a definition stand: how many tokens wait at each step, and how many of them for long.

import { listActivity } from "../../store/definitions/definition-activity.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { definitionsOf } from "./definition-cache.ts"
import { noSuchDefinition } from "./read-definitions.ts"

export interface StepActivity {
  readonly version: number
  readonly stepId: string
  readonly open: number
  /** How many of the open steps have been open for longer than the caller asked. */
  readonly older: number
}

export interface DefinitionActivity {
  readonly items: readonly StepActivity[]
  /** Live instances that were looked at. */
  readonly instances: number
  /** False where there are more: then these are the oldest, which is where work gets stuck. */
  readonly isExact: boolean
}

const LOOKED_AT_MAX = 10_000

export async function readDefinitionActivity(
  kernel: Kernel,
  id: string,
  olderThanMs: number,
): Promise<DefinitionActivity> {
  const { steps, instances } = await listActivity(kernel.db, {
    definitionId: id,
    olderThanMs,
    limit: LOOKED_AT_MAX + 1,
  })
  if (instances === 0 && !(await definitionsOf(kernel).latest(id))) throw noSuchDefinition(id)
  return {
    items: steps.map(({ version, step_id, open, older }) => ({ version, stepId: step_id, open, older })),
    instances: Math.min(instances, LOOKED_AT_MAX),
    isExact: instances <= LOOKED_AT_MAX,
  }
}

interface Kept {
  readonly answer: Promise<DefinitionActivity>
  until: number
}

const KEPT_MIN_MS = 1_000
const KEPT_MAX_MS = 10_000
const KEPT_PER_COST = 20
const MAX_KEPT = 1_000
const keptBy = new WeakMap<Kernel, Map<string, Kept>>()

/**
 * One answer for all who look. Ten thousand instances took 0.13 to 0.3 s of the database; kept for twenty times as long as it took, an
 * answer costs a twentieth of a connection at most, however often pages ask.
 */
export function getDefinitionActivity(kernel: Kernel, id: string, olderThanMs: number): Promise<DefinitionActivity> {
  const kept = keptBy.get(kernel) ?? new Map<string, Kept>()
  keptBy.set(kernel, kept)
  const name = `${olderThanMs} ${id}`
  const known = kept.get(name)
  if (known && known.until > performance.now()) return known.answer
  const beganAt = performance.now()
  const entry: Kept = { answer: readDefinitionActivity(kernel, id, olderThanMs), until: Number.POSITIVE_INFINITY }
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(name, entry)
  entry.answer.then(
    () => {
      const now = performance.now()
      entry.until = now + Math.min(KEPT_MAX_MS, Math.max(KEPT_MIN_MS, KEPT_PER_COST * (now - beganAt)))
    },
    () => kept.delete(name),
  )
  return entry.answer
}
