// Which mutants a run is about: all, those that are named, or a sample that a seed decides.
import { createHash } from "node:crypto"
import type { Mutant } from "./mutant.ts"

export interface Choice {
  /** Ids or parts of them, with commas between; `*` stands for anything. */
  readonly only?: string | undefined
  readonly sample?: number | undefined
  readonly seed?: string | undefined
}

export function choose(mutants: readonly Mutant[], { only, sample, seed = "" }: Choice): readonly Mutant[] {
  const patterns = only?.split(",").map(patternOf)
  const named = mutants.filter(({ id }) => patterns?.some((pattern) => pattern.test(id)) ?? true)
  const findable = named.filter(({ equivalent }) => equivalent === undefined)
  if (sample === undefined) return findable
  const drawn = findable.map((mutant) => ({ mutant, place: placeOf(seed, mutant.id) }))
  return drawn
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, sample)
    .map(({ mutant }) => mutant)
}

const patternOf = (text: string): RegExp =>
  new RegExp(
    text
      .trim()
      .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*"),
  )

/** The same for the same seed, whatever else is in the list. */
const placeOf = (seed: string, id: string): string => createHash("sha256").update(`${seed} ${id}`).digest("hex")
