// Starts every 20 ms, over REST and gRPC in turn, on one server in another process: from the call to the first line of the handler, in
// a long-polling SDK worker and in a worker on StreamJobs.

import { pace } from "../measure/offered-load.mjs"
import { percentiles, round } from "../measure/statistics.mjs"
import { now, sleep, until } from "../measure/wait.mjs"

const PER_S = 50

export const sizes = { full: { n: 2000 }, quick: { n: 60 } }
export const show = (figures) => `${figures.p50Ms} / ${figures.p99Ms} ms (${figures.ratio} × REST)`

export async function run({ open, size }) {
  const target = await open({ transport: "grpc" })
  const doors = [meter(target.startOverRest), meter(target.startOne)]
  const [rest, grpc] = doors
  const workers = [await target.workOverRest({ onJob: rest.onJob }), await target.work({ onJob: grpc.onJob })]
  await offer(doors, { n: Math.min(200, size.n), from: -1_000_000 })
  await sleep(Math.min(1000, size.n))
  await offer(doors, { n: size.n, from: 0 })
  for (const worker of workers) await worker.stop()
  const [overRest, overGrpc] = doors.map(({ latencies }) => percentiles(latencies))
  return { ...overGrpc, rest: overRest, ratio: round(overGrpc.p50Ms / overRest.p50Ms) }
}

/** Times each call to its handler; negative numbers warm up and are not timed. */
function meter(start) {
  const calledAt = new Map()
  const latencies = []
  let handled = 0
  const onJob = ({ i }) => {
    handled++
    if (i >= 0) latencies.push(now() - calledAt.get(i))
  }
  const call = (i) => {
    calledAt.set(i, now())
    return start({ i })
  }
  return { call, onJob, latencies, handled: () => handled }
}

async function offer(doors, { n, from }) {
  const before = doors.map(({ handled }) => handled())
  const answers = []
  await pace({ n, perS: PER_S }, (at) => answers.push(doors[at % 2].call(from + at)))
  await Promise.all(answers)
  await until(() => doors.every(({ handled }, at) => handled() - before[at] >= Math.floor(n / 2)), { limitMs: 120_000 })
}
