// Drains n ready one-step instances with one worker process, until the store has none unfinished.
import { fillAndDrain } from "../measure/drain.mjs"

export const sizes = { full: { n: 50_000 }, quick: { n: 300 } }
export const show = (figures) => `${figures.perS}/s`

export async function run({ open, size, storePid }) {
  return fillAndDrain({ target: await open(), n: size.n, storePid })
}
