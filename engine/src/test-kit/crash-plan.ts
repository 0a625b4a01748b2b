// One run of a sweep: notes every point at which its process could die, and lets it die at some of them.
import { createHash } from "node:crypto"
import type { DiesAt } from "../library/running/run-workflow.ts"
import type { Replace } from "./replace-steps.ts"

const WORDS: Readonly<Record<Parameters<DiesAt>[0], string>> = {
  calling: "before",
  called: "after",
  recorded: "after the record of",
  reporting: "before the report of",
}

/** Where processes die, and how many of them at most. */
export interface Deaths {
  readonly most: number
  readonly strike: (point: string) => boolean
  /** How many turns of the event loop a step waits before it is called: branches that run beside each other then change their order. */
  readonly turns: (step: string) => number
}

const NONE: Deaths = { most: 0, strike: () => false, turns: () => 0 }

export const deathAt = (deathPoint: string): Deaths => ({
  ...NONE,
  most: 1,
  strike: (point) => point === deathPoint,
})

/** With one more lost lease a run would be failed as a poison pill. */
const MOST_DEATHS = 3
const MOST_TURNS = 8

/** Every point draws by its name, so that a seed does the same however long the steps take. */
export function deathsBySeed(seed: number, pointsOfRun: number): Deaths {
  const draw = (what: string) => createHash("sha256").update(`${seed} ${what}`).digest().readUInt32BE() / 4_294_967_296
  const most = 1 + Math.floor(draw("deaths") * MOST_DEATHS)
  return {
    most,
    strike: (point) => draw(`die ${point}`) < (most + 1) / (pointsOfRun + 1),
    turns: (step) => Math.floor(draw(`wait ${step}`) * MOST_TURNS),
  }
}

export class CrashPlan {
  /** The names of all points in the order they were met. The second time at the same place is a point of its own. */
  readonly points: string[] = []
  /** The points at which a process died. */
  readonly struck: string[] = []
  /** How often each step was called. */
  readonly calls: Record<string, number> = {}
  /** A step that was called again with another key: what it does would be done twice. */
  changedKey: string | undefined
  readonly #keys = new Map<string, string>()
  readonly #times = new Map<string, number>()
  readonly #deadAttempts = new Set<number>()
  readonly #deaths: Deaths

  constructor(deaths = NONE) {
    this.#deaths = deaths
  }

  /** True when the process of that attempt is dead: it dies once, and stays dead. */
  readonly diesAt: DiesAt = (place, what, { attempt }) => {
    if (this.#deadAttempts.has(attempt)) return true
    const point = this.#meet(`${WORDS[place]} ${what}`)
    if (this.struck.length === this.#deaths.most || !this.#deaths.strike(point)) return false
    this.#deadAttempts.add(attempt)
    this.struck.push(point)
    return true
  }

  /** A step's function, whose calls are counted. */
  readonly around: Replace = (name, run, key) => async (argument) => {
    const step = key === undefined ? name : `${name}/${key}`
    this.#noteCall(step, argument.key)
    for (let turn = this.#deaths.turns(step); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve))
    return run(argument)
  }

  #meet(place: string): string {
    const times = (this.#times.get(place) ?? 0) + 1
    this.#times.set(place, times)
    const point = times === 1 ? place : `${place} (${times})`
    this.points.push(point)
    return point
  }

  #noteCall(step: string, key: string): void {
    this.calls[step] = (this.calls[step] ?? 0) + 1
    const before = this.#keys.get(step) ?? key
    this.#keys.set(step, before)
    if (before !== key) this.changedKey ??= `${step} was given the key ${before}, and then ${key}`
  }
}
