// A start every 20 ms on one server in another process, in turn: over REST to a long-polling SDK worker, over gRPC to a worker on StreamJobs,
// and over REST to a worker on StreamJobs. The time is from the call to the first line of the handler; the third tells the worker's door from
// the caller's. Each has a worker of its own: while one job is being handed over, the next of the same worker has to be looked for.

import { pace } from "../measure/offered-load.mjs"
import { percentiles, round } from "../measure/statistics.mjs"
import { now, sleep, until } from "../measure/wait.mjs"

const PER_S = 50

export const sizes = { full: { n: 3000 }, quick: { n: 60 } }
export const show = ({ p50Ms, p99Ms, ratio, workerRatio }) =>
  `${p50Ms} / ${p99Ms} ms (${ratio} × REST; with starts over REST ${workerRatio} ×)`

export async function run({ open, size }) {
  const target = await open({ transport: "grpc" })
  const doors = [meter(target.startOverRest), meter(target.startOne), meter(target.startRestToStream)]
  const [rest, grpc, mixed] = doors
  const workers = [
    await target.workOverRest({ onJob: rest.onJob }),
    await target.work({ onJob: grpc.onJob }),
    await target.workOnStream({ onJob: mixed.onJob }),
  ]
  await offer(doors, { n: Math.min(300, size.n), from: -1_000_000 })
  await sleep(Math.min(1000, size.n))
  await offer(doors, { n: size.n, from: 0 })
  for (const worker of workers) await worker.stop()
  const [overRest, overGrpc, restToStream] = doors.map(({ latencies }) => percentiles(latencies))
  const ratioOf = ({ p50Ms }) => round(p50Ms / overRest.p50Ms)
  return {
    ...overGrpc,
    rest: overRest,
    restToStream,
    ratio: ratioOf(overGrpc),
    workerRatio: ratioOf(restToStream),
  }
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
  await pace({ n, perS: PER_S }, (at) => answers.push(doors[at % doors.length].call(from + at)))
  await Promise.all(answers)
  await until(() => doors.every(({ handled }, at) => handled() - before[at] >= Math.floor(n / doors.length)), {
    limitMs: 120_000,
  })
}
