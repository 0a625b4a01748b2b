// A labelled synthetic trace: clients of known kinds with the times of their requests. The dice are fixed, so every run is the same.
import { RHYTHM_BOUNDS } from "../options.ts"
import { type Regularity, regularityOf, rhythmOf } from "../rules/rhythm.ts"

const CLIENTS = 1_000
const REQUESTS = 200

type Dice = () => number
type Gap = (dice: Dice, at: number) => number

const between = (dice: Dice, from: number, to: number): number => from + dice() * (to - from)
/** The sum of twelve is near enough to a normal distribution, with a deviation of 1. */
const normal = (dice: Dice): number => Array.from({ length: 12 }, dice).reduce((sum, value) => sum + value, -6)

const timer =
  (everyMs: number, jitterMs: number): Gap =>
  (dice) =>
    Math.max(1, everyMs + normal(dice) * jitterMs)

const KINDS = {
  people: (dice) => between(dice, 1_000, 5_000),
  "quick people": (dice) => 300 + between(dice, 0, 1) ** 2 * 2_500,
  "steady people": (dice) => between(dice, 1_000, 3_000),
  pages: (dice, at) => (at % 20 === 0 ? between(dice, 4_000, 30_000) : between(dice, 0, 12)),
  timetables: (dice) => 15_000 + normal(dice) * 20,
  "retry loops": (dice, at) => Math.min(30_000, 500 * 2 ** (at % 7)) * between(dice, 0.9, 1.1),
  // Thirty people behind one address: the gaps between their calls together.
  offices: (dice) => -Math.log(1 - dice()) * 3_000 * (1 / 5),
  "scrapers, every 0.5 s": timer(500, 15),
  "scrapers, every second": timer(1_000, 30),
  "scrapers, every 3 s": timer(3_000, 50),
  "scrapers, every 8 s": timer(8_000, 100),
  "scrapers that shake": (dice) => between(dice, 1_500, 4_500),
} as const satisfies Record<string, Gap>

export type Kind = keyof typeof KINDS

/** The clients that call on a timer. */
export const SCRAPERS = [
  "scrapers, every 0.5 s",
  "scrapers, every second",
  "scrapers, every 3 s",
  "scrapers, every 8 s",
] as const satisfies readonly Kind[]

export function clientsOf(kind: Kind): number[][] {
  const dice = seeded(kind.length * 7_919)
  return Array.from({ length: CLIENTS }, () => {
    let nowMs = 0
    return Array.from({ length: REQUESTS }, (_, at) => (nowMs += KINDS[kind](dice, at)))
  })
}

/** The first answer that is not "irregular", request by request as the guard asks; undefined where there is none. */
export function verdictsOf(
  times: readonly number[],
): { readonly at: number; readonly regularity: Regularity } | undefined {
  for (let at = 1; at <= times.length; at++) {
    const known = times.slice(Math.max(0, at - RHYTHM_BOUNDS.mostTimes), at)
    const regularity = regularityOf(rhythmOf(known), RHYTHM_BOUNDS)
    if (regularity !== "irregular") return { at, regularity }
  }
  return undefined
}

/** Mulberry32: small, and good enough for pauses. */
function seeded(seed: number): Dice {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
