// Single enqueues with admission and depth accounting, and by the same engine without both, in processes and databases of their own.
import { startSingly } from "../measure/single-starts.mjs"
import { round } from "../measure/statistics.mjs"

export const sizes = { full: { n: 20_000 }, quick: { n: 300 } }
export const show = (figures) => `${figures.ratio} of without (${figures.onPerS} of ${figures.offPerS}/s)`

// There and back, so that a machine that gets slower or faster meanwhile favours neither.
export const parts = ({ n }) => ["on", "off", "off", "on"].map((gate) => ({ n, gate }))

export async function run({ open, size: { n, gate }, storePid }) {
  return startSingly({ target: await open({ kind: "jobs", gate }), n, storePid })
}

export function combine([on, off, offAgain, onAgain]) {
  const [onPerS, offPerS] = [mean(on, onAgain), mean(off, offAgain)]
  const otherCores = Math.max(...[on, off, offAgain, onAgain].map((part) => part.otherCores))
  return { n: on.n, callers: on.callers, onPerS, offPerS, ratio: round(onPerS / offPerS), otherCores }
}

const mean = (a, b) => round((a.perS + b.perS) / 2, 1)
