// One run of a sweep: notes every point at which its process could die, and lets it die at one of them.
import type { DiesAt } from "../library/running/run-workflow.ts"
import { EngineError } from "../support/errors.ts"
import type { Replace } from "./replace-steps.ts"

type Place = "before" | "after" | Parameters<DiesAt>[0]

const WORDS: Readonly<Record<Place, string>> = {
  before: "before",
  after: "after",
  recorded: "after the record of",
  reporting: "before the report of",
}

export class CrashPlan {
  /** Of every point in the order it was met: the second time at the same place is a point of its own. */
  readonly points: string[] = []
  /** How often each step was called. */
  readonly calls: Record<string, number> = {}
  readonly #keys = new Map<string, string>()
  readonly #times = new Map<string, number>()
  readonly #deathPoint: string | undefined
  #deadAttempt: number | undefined

  constructor(deathPoint?: string) {
    this.#deathPoint = deathPoint
  }

  get hasStruck(): boolean {
    return this.#deadAttempt !== undefined
  }

  /** True when the process of that attempt is dead: it dies once, and stays dead. */
  diesAt(place: Place, what: string, attempt: number): boolean {
    if (attempt === this.#deadAttempt) return true
    const point = this.#meet(`${WORDS[place]} ${what}`)
    if (point === this.#deathPoint && !this.hasStruck) this.#deadAttempt = attempt
    return attempt === this.#deadAttempt
  }

  /** A step's function with a point on either side. What a dead process would have thrown is not heard: its lease is lost. */
  readonly around: Replace = (name, run, key) => async (argument) => {
    const step = key === undefined ? name : `${name}/${key}`
    this.#passOrDie("before", step, argument.attempt)
    this.#noteCall(step, argument.key)
    const result = await run(argument)
    this.#passOrDie("after", step, argument.attempt)
    return result
  }

  #passOrDie(place: Place, step: string, attempt: number): void {
    if (this.diesAt(place, step, attempt)) throw new EngineError("lease-lost", `killed ${this.#deathPoint}`)
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

  /** A step that was called again with another key: what it does would be done twice. */
  changedKey: string | undefined
}
