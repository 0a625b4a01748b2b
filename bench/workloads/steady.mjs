// 500 starts a second offered for n / 500 seconds: latency from call to handler, and the CPU it takes (node + store).
import { offerLoad } from "../measure/offered-load.mjs"

export const sizes = { full: { n: 10_000 }, quick: { n: 300 } }
export const show = (figures) => `${figures.p50Ms} / ${figures.p99Ms} ms, ${figures.cpuS} CPU s`

export async function run({ open, size, storePid }) {
  return offerLoad({ target: await open(), n: size.n, perS: 500, profile: "steady", storePid })
}
