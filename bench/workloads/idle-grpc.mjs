// The idle workload over REST (long-polling SDK worker) and then over gRPC (a worker on StreamJobs), servers in processes of their own.
import { offerLoad } from "../measure/offered-load.mjs"
import { round } from "../measure/statistics.mjs"

export const sizes = { full: { n: 1000 }, quick: { n: 50 } }
export const show = (figures) => `${figures.p50Ms} / ${figures.p99Ms} ms (${figures.ratio} × REST)`

export async function run({ open, size, storePid }) {
  const load = { n: size.n, perS: 50, profile: "latency", storePid }
  const overRest = await open({ transport: "rest" })
  const rest = await offerLoad({ ...load, target: overRest })
  await overRest.close()
  const overGrpc = await open({ transport: "grpc" })
  const grpc = await offerLoad({ ...load, target: overGrpc })
  return { ...grpc, rest, ratio: round(grpc.p50Ms / rest.p50Ms) }
}
