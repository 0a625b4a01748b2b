// One instance every 20 ms on an otherwise idle engine: from the call to the start of its handler, in process.
import { offerLoad } from "../measure/offered-load.mjs"

export const sizes = { full: { n: 1000 }, quick: { n: 50 } }
export const show = (figures) => `${figures.p50Ms} / ${figures.p99Ms} ms`

export async function run({ open, size, storePid }) {
  return offerLoad({ target: await open(), n: size.n, perS: 50, profile: "latency", storePid })
}
