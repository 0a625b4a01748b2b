// How far a run of kills is, by kills or by time.
import { Bar } from "../run/bar.ts"

/** The length of a run: it ends at the limit that is reached first. */
interface Length {
  readonly kills: number
  readonly minutes: number
}

export class Progress {
  readonly #end: Length
  readonly #bar = new Bar()
  readonly #startedAt = performance.now()

  constructor(end: Length) {
    this.#end = end
  }

  /** From 0 to 1, by kills or by time. */
  share(done: number): number {
    const { kills, minutes } = this.#end
    return Math.min(1, Math.max(done / Math.max(1, kills), this.#seconds / (60 * minutes)))
  }

  get #seconds(): number {
    return (performance.now() - this.#startedAt) / 1_000
  }

  show(done: number, what: string): void {
    const { kills } = this.#end
    const of = Number.isFinite(kills) ? ` of ${kills}` : ""
    this.#bar.show(this.share(done), `${done}${of} killed in ${this.#seconds.toFixed(0)} s, ${what}`)
  }

  end(): void {
    this.#bar.end()
  }
}
