// The drain on an empty store and on two that keep finished instances, each in a process and database of its own.
//
// A process that keeps history is to cost no more per instance, so the CPU is judged: the rate moves with the machine. What
// filled the store is vacuumed and checkpointed before the drain (`settle`), on all sides.
import { fillAndDrain } from "../measure/drain.mjs"
import { round } from "../measure/statistics.mjs"

export const sizes = { full: { n: 100_000, kept: 10_000_000 }, quick: { n: 200, kept: 1000 } }

export const show = ({ cpuRatio, keptUs, emptyUs, ratio, kept }) =>
  `${cpuRatio} of the CPU on an empty store with ${kept} kept (${keptUs} and ${emptyUs} µs each), ${ratio} of its rate`

// What has just run is warm: the empty part runs a little as well, or it would be compared with a cold start.
const WARM_UP = 5000

/** Nothing kept, a tenth, and all. */
export const parts = ({ n, kept }) => [0, Math.round(kept / 10), kept].map((each) => ({ n, kept: each }))

export async function run({ open, size, storePid }) {
  const target = await open()
  await target.prefillFinished(Math.max(size.kept, Math.min(WARM_UP, size.n)))
  return { kept: size.kept, ...(await fillAndDrain({ target, n: size.n, storePid })) }
}

export function combine([empty, tenth, kept]) {
  return {
    n: kept.n,
    kept: kept.kept,
    emptyPerS: empty.perS,
    keptPerS: kept.perS,
    ratio: round(kept.perS / empty.perS),
    emptyUs: empty.cpuUs,
    keptUs: kept.cpuUs,
    nodeUs: kept.nodeUs,
    storeUs: kept.storeUs,
    cpuRatio: round(kept.cpuUs / empty.cpuUs, 3),
    tenthRatio: round(tenth.cpuUs / empty.cpuUs, 3),
    otherCores: Math.max(empty.otherCores, tenth.otherCores, kept.otherCores),
  }
}
