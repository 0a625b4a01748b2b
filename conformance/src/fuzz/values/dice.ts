// Chance by place: each request has dice of its own, so that what one of them draws does not move the next.
import { type Random, seeded } from "../../chaos/random.ts"

export type Dice = Random

const GOLDEN = 0x9e3779b1
const MORE = 0x7f4a7c15

/** The same for the same seed and places, whatever was drawn before. */
export const diceAt = (seed: number, ...places: readonly number[]): Dice =>
  seeded(places.reduce((mixed, place) => mix(mixed ^ place), mix(seed)))

function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), GOLDEN) + MORE
  return (once ^ (once >>> 15)) >>> 0
}

/** One of them, by their weights. */
export function weighted<T>(dice: Dice, choices: readonly (readonly [number, T])[]): T {
  const sum = choices.reduce((total, [weight]) => total + weight, 0)
  let at = dice.next() * sum
  for (const [weight, choice] of choices) {
    at -= weight
    if (at < 0) return choice
  }
  return choices.at(-1)![1]
}
