// The idle workload in process and then over REST (server in a process of its own, long-polling SDK worker here).
import { offerLoad } from "../measure/offered-load.mjs"
import { round } from "../measure/statistics.mjs"

export const sizes = { full: { n: 1000 }, quick: { n: 50 } }
export const show = (figures) => `${figures.p50Ms} / ${figures.p99Ms} ms (${figures.ratio} × in process)`

export async function run({ open, size, storePid }) {
  const load = { n: size.n, perS: 50, profile: "latency", storePid }
  const inProcess = await open()
  const direct = await offerLoad({ ...load, target: inProcess })
  await inProcess.close()
  const overRest = await open({ transport: "rest" })
  const rest = await offerLoad({ ...load, target: overRest })
  return { ...rest, inProcess: direct, ratio: round(rest.p50Ms / direct.p50Ms) }
}
