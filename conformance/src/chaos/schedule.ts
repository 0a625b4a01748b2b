// The nemesis: who is killed when. Made from the seed alone, whatever happens meanwhile.
import type { Random } from "./random.ts"

export interface Kill {
  /** Slots of the processes; "postgres" is the database, all of it at once, and "broker" is Kafka. */
  readonly victims: readonly number[] | "postgres" | "broker"
  /** Whether the victims are given time to start; else they may die in the middle of that. */
  readonly whenReady: boolean
  /** How long after that, or after the last kill. */
  readonly afterMs: number
  /** Not killed, but stopped for so long. */
  readonly frozenMs?: number
}

interface Limits {
  readonly kills: number
  readonly slots: number
  readonly withPostgres: boolean
  /** The last so many slots are workers that read Kafka, and the broker is killed too; none without Kafka. */
  readonly kafkaWorkers?: number
  /** The last so many slots are workers that are never killed, but frozen now and then, for longer than their leases last. */
  readonly zombies?: number
}

/** Every process killed counts as one. */
export const killCount = ({ victims, frozenMs }: Kill): number => {
  if (frozenMs !== undefined) return 0
  return typeof victims === "string" ? 1 : victims.length
}

/** Gives as many kills as are asked for, or kills without end where a time limit ends the run. */
export function* scheduleKills(random: Random, limits: Limits): Generator<Kill> {
  for (let count = 0, n = 0; count < limits.kills; n++) {
    const kill = nextKill(random, limits, n)
    yield kill
    count += killCount(kill)
  }
}

function nextKill(random: Random, limits: Limits, n: number): Kill {
  const { slots, withPostgres, kafkaWorkers = 0, zombies = 0 } = limits
  // Now and then the survivors are given time to catch up, or all that is ever killed is a system that stands still.
  const afterMs = random.chance(0.1) ? random.between(2_000, 5_000) : random.between(30, 700)
  const timing = { whenReady: random.chance(0.85), afterMs }
  if (withPostgres && n % 10 === 9) return { victims: "postgres", ...timing }
  if (kafkaWorkers > 0 && n % 10 === 8) return { victims: "broker", ...timing }
  const all = Array.from({ length: slots - zombies }, (_, slot) => slot)
  // In turn, so that each has worked before it is frozen.
  if (zombies > 0 && n % 5 === 2)
    return { victims: [all.length + (Math.floor(n / 5) % zombies)], ...timing, frozenMs: FROZEN_MS }
  const others = all.slice(0, all.length - kafkaWorkers)
  // Rarely: for each that dies, its group stands still until Kafka has given it up.
  if (kafkaWorkers > 0 && n % 10 === 5) return { victims: [random.pick(all.slice(others.length))], ...timing }
  // One in twelve is a power cut of all of them.
  return { victims: random.chance(1 / 12) ? all : [random.pick(others)], ...timing }
}

/** A lease, the term of a leader that may have been killed meanwhile, and time for others to claim the jobs. */
const FROZEN_MS = 15_000
