// Drains n standalone jobs with one worker process, until the store has none unfinished.
import { fillAndDrain } from "../measure/drain.mjs"

export const sizes = { full: { n: 100_000 }, quick: { n: 500 } }
export const show = (figures) => `${figures.perS}/s`

export async function run({ open, size, storePid }) {
  return fillAndDrain({ target: await open({ kind: "jobs" }), n: size.n, storePid })
}
