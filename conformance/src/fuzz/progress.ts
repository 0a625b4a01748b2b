// How far a run of the fuzzer is.
import { Bar } from "../run/bar.ts"
import { EPISODE, type FuzzOptions } from "./options.ts"

export class Progress {
  readonly #bar = new Bar()
  readonly #of: number
  readonly #startedAt = performance.now()

  constructor({ requests, episode }: Pick<FuzzOptions, "requests" | "episode">) {
    this.#of = episode === undefined ? requests : EPISODE
  }

  show(sent: number, found: number): void {
    const seconds = (performance.now() - this.#startedAt) / 1_000
    const rate = Math.round(sent / Math.max(1, seconds))
    const text = `${sent} of ${this.#of} requests in ${seconds.toFixed(0)} s, ${rate} a second, ${found} found`
    this.#bar.show(Math.min(1, sent / this.#of), text)
  }

  end(): void {
    this.#bar.end()
  }
}
