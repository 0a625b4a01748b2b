// Everything that is left to chance in a simulation is drawn here: the same seed draws the same.
import { seeded } from "../test-support/interleave.ts"

export class Dice {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = seeded(seed)
  }

  /** From 0 to 1, without 1. */
  readonly next = (): number => this.#random()

  chance(probability: number): boolean {
    return this.#random() < probability
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1))
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T
  }

  /** Dice of their own for a part of the simulation: what the part draws changes nothing elsewhere. */
  fork(): Dice {
    return new Dice(Math.floor(this.#random() * 4_294_967_296))
  }

  fill<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
    for (let at = 0; at < bytes.length; at++) bytes[at] = this.between(0, 255)
    return bytes
  }
}
