// The nemesis: who is killed when. Made from the seed alone, whatever happens meanwhile.
import type { Random } from "./random.ts"

export interface Kill {
  /** Slots of the processes; "postgres" is the database, all of it at once. */
  readonly victims: readonly number[] | "postgres"
  /** Whether the victims are given time to start; else they may die in the middle of that. */
  readonly whenReady: boolean
  /** How long after that, or after the last kill. */
  readonly afterMs: number
}

interface Limits {
  readonly kills: number
  readonly slots: number
  readonly withPostgres: boolean
}

/** Every process killed counts as one. */
export const killCount = ({ victims }: Kill): number => (victims === "postgres" ? 1 : victims.length)

/** As many as are asked for; without end where it is time that ends the run. */
export function* scheduleKills(random: Random, { kills, slots, withPostgres }: Limits): Generator<Kill> {
  for (let count = 0, n = 0; count < kills; n++) {
    const kill = nextKill(random, slots, withPostgres && n % 10 === 9)
    yield kill
    count += killCount(kill)
  }
}

function nextKill(random: Random, slots: number, postgres: boolean): Kill {
  // Now and then the survivors are given time to catch up, or all that is ever killed is a system that stands still.
  const afterMs = random.chance(0.1) ? random.between(2_000, 5_000) : random.between(30, 700)
  const timing = { whenReady: random.chance(0.85), afterMs }
  if (postgres) return { victims: "postgres", ...timing }
  const all = Array.from({ length: slots }, (_, slot) => slot)
  // One in twelve is a power cut of all of them.
  return { victims: random.chance(1 / 12) ? all : [random.pick(all)], ...timing }
}
