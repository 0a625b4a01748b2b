// Ten times as much as a worker can do, with the gate on: what gets done, how long accepted jobs wait, and how soon all is as before.
import { startCpuMeter } from "../measure/cpu.mjs"
import { fill } from "../measure/drain.mjs"
import { pace } from "../measure/offered-load.mjs"
import { median, percentiles, perSecond, round } from "../measure/statistics.mjs"
import { now, sleep, until } from "../measure/wait.mjs"

export const sizes = { full: { seconds: 60, high: 2000 }, quick: { seconds: 3, high: 200 } }
export const show = ({ goodput, waitOfBound, backS }) =>
  `${goodput} of peak, p99 wait ${waitOfBound} of its bound, back after ${backS} s`

// At most 500/s, whatever the machine can do: the handlers' time is the limit, as with a downstream.
const HANDLER_MS = 50
const CONCURRENCY = 25
const AT_MOST_PER_S = (CONCURRENCY * 1000) / HANDLER_MS
const OVERLOAD = 10
const CALM = 0.5
const WINDOW_S = 0.5
const GIVE_UP_S = 120

export async function run({ open, size: { seconds, high }, storePid }) {
  const target = await open({ kind: "jobs", marks: { high, low: high / 5 } })
  const shortS = Math.min(5, seconds / 3)
  const load = createLoad(target)
  const backlog = Math.round(shortS * AT_MOST_PER_S)
  await fill({ target, n: backlog, options: { whenFull: "absorb" } })
  const worker = await target.work({ onJob: load.handle, concurrency: CONCURRENCY })
  const peakPerS = await measurePeak(load, backlog)
  await until(() => isOpen(target), { everyMs: 50 })
  const calm = await load.offer(CALM * peakPerS, shortS)
  const readCpu = startCpuMeter(storePid)
  const over = await load.offer(OVERLOAD * peakPerS, seconds)
  const cpu = readCpu()
  const backS = await untilBack(load, CALM * peakPerS, medianOf(calm))
  await worker.stop()
  const boundMs = (high / peakPerS) * 1000
  const wait = percentiles(over.waits)
  if (wait.samples === 0) throw new Error("no job was handled under overload")
  return {
    seconds,
    marks: { high, low: high / 5 },
    peakPerS,
    offeredPerS: round(over.called / over.seconds, 1),
    refused: over.refused,
    goodput: round(over.handled / over.seconds / peakPerS, 3),
    wait,
    boundMs: round(boundMs),
    waitOfBound: round(wait.p99Ms / boundMs),
    calm: percentiles(calm.waits),
    backS,
    ...cpu,
  }
}

// A backlog that was there before, nobody offering: what the worker can do at most.
async function measurePeak(load, n) {
  await until(() => load.total() >= n / 5, { everyMs: 1 })
  const [from, at] = [load.total(), now()]
  await until(() => load.total() >= n * 0.9, { everyMs: 1 })
  const peakPerS = perSecond(load.total() - from, now() - at)
  await until(() => load.total() >= n)
  return peakPerS
}

/** The backlog has shut the gate; calm is what comes after. */
const isOpen = (target) =>
  target.startOne({ i: "first" }).then(
    () => true,
    () => false,
  )

// From the end of the overload: a window in which nobody was refused and the wait is as it was before.
async function untilBack(load, perS, usualMs) {
  const startedAt = now()
  const sinceS = () => round((now() - startedAt) / 1000)
  for (;;) {
    const window = await load.offer(perS, WINDOW_S)
    const asBefore = medianOf(window) <= Math.max(2 * usualMs, 20)
    if (window.refused === 0 && asBefore && window.handled >= 0.8 * perS * WINDOW_S) return sinceS()
    if (sinceS() > GIVE_UP_S) return GIVE_UP_S
  }
}

const medianOf = ({ waits }) => (waits.length > 0 ? median(waits) : Number.POSITIVE_INFINITY)

// Calls at a fixed rate, answered or not. A wait is from the call to the first line of the handler, of jobs that were accepted.
function createLoad(target) {
  const calledAt = new Map()
  let handled = 0
  let next = 0
  let tally = newTally()
  return {
    total: () => handled,
    async handle({ i }) {
      handled++
      tally.handled++
      if (calledAt.has(i)) tally.waits.push(now() - calledAt.get(i))
      calledAt.delete(i)
      await sleep(HANDLER_MS)
    },
    async offer(perS, seconds) {
      tally = newTally()
      const mine = tally
      const startedAt = now()
      await pace({ n: Math.round(perS * seconds), perS }, () => call(mine))
      if (mine.error) throw mine.error
      return { ...mine, seconds: (now() - startedAt) / 1000 }
    },
  }

  function call(mine) {
    const i = `o${next++}`
    mine.called++
    calledAt.set(i, now())
    target.startOne({ i }).catch((error) => {
      if (target.isRefusal(error)) mine.refused++
      else mine.error = error
      calledAt.delete(i)
    })
  }
}

const newTally = () => ({ called: 0, refused: 0, handled: 0, waits: [], error: undefined })
