// Enqueues standalone jobs one at a time from 32 concurrent callers, each answered after its commit; nobody works.
import { startSingly } from "../measure/single-starts.mjs"

export const sizes = { full: { n: 40_000 }, quick: { n: 300 } }
export const show = (figures) => `${figures.perS}/s`

export async function run({ open, size, storePid }) {
  return startSingly({ target: await open({ kind: "jobs" }), n: size.n, storePid })
}
