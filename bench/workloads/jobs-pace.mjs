// Backlogs for two downstreams with a limit each, and jobs without one beside them: the rates that are kept, and whether the rest waits.
import { startCpuMeter } from "../measure/cpu.mjs"
import { pace } from "../measure/offered-load.mjs"
import { percentiles, round } from "../measure/statistics.mjs"
import { now } from "../measure/wait.mjs"

export const sizes = { full: { n: 25_000, seconds: 20 }, quick: { n: 1500, seconds: 2 } }
export const show = ({ slowPerS, fastPerS, restInTime, rest }) =>
  `${slowPerS} of 50/s, ${fastPerS} of 500/s, ${restInTime} of the rest in time (p99 ${rest.p99Ms} ms)`

const LIMITS = { slow: 50, fast: 500 }
const REST_PER_S = 200
const IN_TIME_MS = 100
const BATCH = 500
const CONCURRENCY = 64

export async function run({ open, size: { n, seconds }, storePid }) {
  const target = await open({ kind: "jobs" })
  for (const [name, perSecond] of Object.entries(LIMITS)) await target.declare(name, { perSecond })
  const started = { slow: 0, fast: 0 }
  const rest = createRest(target)
  const handlers = { slow: () => started.slow++, fast: () => started.fast++, rest: rest.handle }
  const worker = await target.workOn({ handlers, concurrency: CONCURRENCY })
  await rest.offer(Math.min(2, seconds)) // opens connections, warms code
  const alone = await rest.offer(Math.min(5, seconds))

  // From when both have a backlog: what is handed out while it grows counts as well.
  await fillBoth(target, BATCH)
  const before = { ...started, at: now() }
  const readCpu = startCpuMeter(storePid)
  await fillBoth(target, n - BATCH)
  const beside = await rest.offer(seconds)
  const cpu = readCpu()
  const elapsedS = (now() - before.at) / 1000
  const [slowPerS, fastPerS] = ["slow", "fast"].map((name) => round((started[name] - before[name]) / elapsedS))
  await worker.stop()
  return {
    n: 2 * n,
    seconds: round(elapsedS),
    slowPerS,
    fastPerS,
    slowRatio: round(slowPerS / LIMITS.slow, 3),
    fastRatio: round(fastPerS / LIMITS.fast, 3),
    restPerS: REST_PER_S,
    restInTime: round(beside.filter((ms) => ms <= IN_TIME_MS).length / beside.length, 3),
    rest: percentiles(beside),
    restAlone: percentiles(alone),
    ...cpu,
  }
}

async function fillBoth(target, n) {
  for (let from = 0; from < n; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, n - from) }, (_, k) => ({ i: from + k }))
    for (const name of Object.keys(LIMITS)) await target.enqueueMany(name, batch, { downstream: name })
  }
}

// Offered at a fixed rate, answered or not; what has not started when the time is over counts as that late.
function createRest(target) {
  let waiting = new Map()
  let latencies = []
  let next = 0
  return {
    handle({ i }) {
      if (waiting.has(i)) latencies.push(now() - waiting.get(i))
      waiting.delete(i)
    },
    async offer(seconds) {
      ;[waiting, latencies] = [new Map(), []]
      const answers = []
      await pace({ n: seconds * REST_PER_S, perS: REST_PER_S }, () => {
        const i = next++
        waiting.set(i, now())
        answers.push(target.enqueue("rest", { i }))
      })
      await Promise.all(answers)
      return [...latencies, ...[...waiting.values()].map((calledAt) => now() - calledAt)]
    },
  }
}
