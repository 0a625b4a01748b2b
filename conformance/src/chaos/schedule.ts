// The nemesis: who is killed when. Made from the seed alone, before anything starts.
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
export function scheduleKills(random: Random, { kills, slots, withPostgres }: Limits): Kill[] {
  const schedule: Kill[] = []
  for (let count = 0; count < kills; ) {
    const kill = nextKill(random, slots, withPostgres && schedule.length % 10 === 9)
    schedule.push(kill)
    count += kill.victims === "postgres" ? 1 : kill.victims.length
  }
  return schedule
}

function nextKill(random: Random, slots: number, postgres: boolean): Kill {
  const timing = { whenReady: random.chance(0.85), afterMs: random.between(30, 700) }
  if (postgres) return { victims: "postgres", ...timing }
  const all = Array.from({ length: slots }, (_, slot) => slot)
  // One in twelve is a power cut of all of them (F10).
  return { victims: random.chance(1 / 12) ? all : [random.pick(all)], ...timing }
}
