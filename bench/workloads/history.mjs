// The drain on an empty store and on one that keeps many finished instances, each in a process and database of its own.
import { fillAndDrain } from "../measure/drain.mjs"
import { round } from "../measure/statistics.mjs"

export const sizes = { full: { n: 50_000, kept: 1_000_000 }, quick: { n: 200, kept: 1000 } }
export const show = (figures) => `${figures.ratio} of its empty rate (${figures.keptPerS} of ${figures.emptyPerS}/s)`

// A contestant that really runs its history is warm by then: the empty part runs a little as well, or it would be compared
// with its own cold start.
const WARM_UP = 5000

export const parts = (size) => [{ ...size, kept: 0 }, size]

export async function run({ open, size, storePid }) {
  const target = await open()
  await target.prefillFinished(size.kept || Math.min(WARM_UP, size.n))
  return { kept: size.kept, ...(await fillAndDrain({ target, n: size.n, storePid })) }
}

export function combine([empty, kept]) {
  const figures = { n: kept.n, kept: kept.kept, emptyPerS: empty.perS, keptPerS: kept.perS }
  return { ...figures, ratio: round(kept.perS / empty.perS), otherCores: Math.max(empty.otherCores, kept.otherCores) }
}
