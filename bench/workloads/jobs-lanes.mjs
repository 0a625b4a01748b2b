// The drain of a backlog in three lanes, and of as many jobs in one lane, each in a process and database of its own.
import { drain, fill } from "../measure/drain.mjs"
import { round } from "../measure/statistics.mjs"

export const sizes = { full: { n: 100_000 }, quick: { n: 200 } }
export const show = (figures) => `${figures.ratio} of one lane (${figures.lanesPerS} of ${figures.onePerS}/s)`

const LANES = ["critical", "high", "normal"]

export const parts = ({ n }) => [
  { n, lanes: ["normal", "normal", "normal"] },
  { n, lanes: LANES },
]

export async function run({ open, size: { n, lanes }, storePid }) {
  const target = await open({ kind: "jobs" })
  for (const priority of lanes) await fill({ target, n, options: { priority }, payload: { priority } })
  await target.settle()
  const first = []
  const onJob = ({ priority }) => {
    if (first.length < n) first.push(priority)
  }
  const figures = await drain({ target, n: n * lanes.length, onJob, storePid })
  return { ...figures, shares: Object.fromEntries(LANES.map((lane) => [lane, shareOf(first, lane)])) }
}

const shareOf = (list, lane) => round(list.filter((each) => each === lane).length / list.length, 3)

/** While all three had a backlog (the first n of 3n), who was given how much: a drain that emptied one by one shows here. */
export function combine([one, three]) {
  return {
    n: three.n,
    lanesPerS: three.perS,
    onePerS: one.perS,
    ratio: round(three.perS / one.perS),
    shares: three.shares,
    otherCores: Math.max(one.otherCores, three.otherCores),
  }
}
