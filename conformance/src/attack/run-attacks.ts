// One run: the stage is set, the attacks come together or alone, and the engine and the gateway must still stand after each.
import { setTimeout as pause } from "node:timers/promises"
import { isReady } from "../run/engine-process.ts"
import type { Attack, Outcome } from "./attack.ts"
import { attacks } from "./attacks.ts"
import type { AttackOptions } from "./options.ts"
import { openStage, type Stage } from "./stage.ts"

export interface AttackResult extends Outcome {
  readonly attack: Attack
  readonly seconds: number
}

type Tell = (result: AttackResult) => void

export async function runAttacks({ short, only }: AttackOptions, tell: Tell = () => {}): Promise<AttackResult[]> {
  const chosen = attacks.filter(({ name }) => only.length === 0 || only.includes(name))
  const stage = await openStage({ short })
  const results: AttackResult[] = []
  try {
    const run = async (attack: Attack) => {
      const result = await runOne(attack, stage)
      results.push(result)
      tell(result)
    }
    // Most of the time an attack waits: for a delay, or for the end of a window.
    await Promise.all(chosen.filter(({ alone }) => !alone).map(run))
    for (const attack of chosen.filter(({ alone }) => alone)) await run(attack)
    return results
  } finally {
    await stage.close()
  }
}

async function runOne(attack: Attack, stage: Stage): Promise<AttackResult> {
  const startedAt = performance.now()
  const outcome = await attack.run(stage).catch((error: unknown) => ({
    held: false,
    told: `could not be run to its end: ${error instanceof Error ? error.message : String(error)}`,
  }))
  const stands = await isStanding(stage)
  const seconds = (performance.now() - startedAt) / 1_000
  if (stands) return { attack, seconds, ...outcome }
  return { attack, seconds, held: false, told: `${outcome.told}; NOT TRUE: both processes answer /readyz` }
}

const LOOKS = 100
const BETWEEN_MS = 100

/** After a moment to breathe: a machine that has only so many cores is late when all of them are busy. */
async function isStanding({ engine, gateway }: Stage): Promise<boolean> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const answers = await Promise.all([engine, gateway].map(({ urls }) => isReady(urls.rest)))
    if (answers.every(Boolean)) return true
    await pause(BETWEEN_MS)
  }
  return false
}
