// What a seed is like: some have no faults at all, some have one kind, some have all of them. A seed that always has everything hides what
// needs a quiet moment to go wrong.
import type { Dice } from "./dice.ts"

export interface Profile {
  readonly engines: number
  readonly workers: number
  readonly instances: number
  readonly jobs: number
  readonly hasSchedule: boolean
  /** How many runs of step lists and functions there are. With none, no process works on them. */
  readonly runs: number
  /** None: no process sends any, or looks for them. */
  readonly events: number
  /** For how long work comes in and faults happen, in virtual milliseconds. */
  readonly busyMs: number
  /** How long a statement takes at most: the longer, the more of them meet. */
  readonly statementMs: number
  /** How often time passes though something could go on. */
  readonly timeRate: number
  /** How often a statement is slow. */
  readonly slowRate: number
  readonly cutRate: number
  readonly crashRate: number
  /** How many times the clock of the database is stepped. */
  readonly clockSteps: number
  /** Instead of forward. */
  readonly stepsBack: boolean
  /** How many engines are stopped as an operator would do it. */
  readonly stops: number
  /**
   * On a database that earlier seeds have used, and as behind a pooler in transaction mode; else on a new one, whose weeks have yet to be
   * made, and on connections of its own.
   */
  readonly isWarm: boolean
}

const RATES = [0, 0, 0.002, 0.008, 0.02]

export const drawProfile = (dice: Dice): Profile => ({
  engines: dice.between(1, 3),
  workers: dice.between(1, 3),
  instances: dice.between(3, 12),
  jobs: dice.between(0, 12),
  hasSchedule: dice.chance(0.4),
  runs: dice.pick([0, 0, 2, 5]),
  events: dice.pick([0, 0, 4, 10]),
  busyMs: dice.between(3_000, 10_000),
  statementMs: dice.pick([0, 5, 20, 40]),
  timeRate: dice.pick([0.01, 0.05]),
  slowRate: dice.pick(RATES),
  cutRate: dice.pick(RATES),
  crashRate: dice.pick([0, 0, 0.001, 0.004]),
  clockSteps: dice.pick([0, 0, 1, 3]),
  stepsBack: dice.chance(0.3),
  stops: dice.pick([0, 0, 1, 2]),
  isWarm: dice.chance(0.95),
})
