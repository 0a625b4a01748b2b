// A closed loop of starts and handlers, before and while another connection holds an old snapshot open.
//
// The snapshot pins the vacuum horizon: every finished job leaves a dead row that claims may have to step over. The rate
// in the last window of the held time is compared with the rate in the last window before it.
import { perSecond, round } from "../measure/statistics.mjs"
import { now, sleep } from "../measure/wait.mjs"
import { connect } from "../postgres/database.mjs"

export const sizes = { full: { seconds: 60 }, quick: { seconds: 2 } }
export const show = (figures) => `${figures.ratio} of its rate before (${figures.heldPerS} of ${figures.beforePerS}/s)`

const CALLERS = 64

export async function run({ open, size, dsn }) {
  const target = await open()
  const windowS = Math.min(10, size.seconds / 2)
  const loop = await startClosedLoop(target)
  const before = await sampleRates({ loop, windowS, windows: 2 })
  const release = await holdSnapshot(dsn)
  const held = await sampleRates({ loop, windowS, windows: Math.max(2, Math.round(size.seconds / windowS)) })
  await release()
  const after = await sampleRates({ loop, windowS, windows: 1 })
  await loop.stop()
  const [beforePerS, heldPerS] = [before.at(-1), held.at(-1)]
  return {
    seconds: size.seconds,
    callers: CALLERS,
    beforePerS,
    heldPerS,
    ratio: round(heldPerS / beforePerS),
    before,
    held,
    after,
  }
}

async function startClosedLoop(target) {
  const waiting = new Map()
  let running = true
  let next = 0
  const loop = { handled: 0 }
  const onJob = ({ i }) => {
    loop.handled++
    waiting.get(i)?.()
    waiting.delete(i)
  }
  const worker = await target.work({ onJob, profile: "steady" })
  const call = async () => {
    while (running) {
      const i = next++
      const handled = new Promise((resolve) => waiting.set(i, resolve))
      await target.startOne({ i })
      await handled
    }
  }
  const callers = Promise.all(Array.from({ length: CALLERS }, call))
  callers.catch((error) => {
    loop.error = error
  })
  loop.stop = async () => {
    running = false
    await Promise.race([callers, sleep(10_000)])
    await worker.stop()
  }
  return loop
}

async function sampleRates({ loop, windowS, windows }) {
  const rates = []
  for (let k = 0; k < windows; k++) {
    const [handled, at] = [loop.handled, now()]
    await sleep(windowS * 1000)
    if (loop.error) throw loop.error
    rates.push(perSecond(loop.handled - handled, now() - at))
  }
  return rates
}

async function holdSnapshot(dsn) {
  const client = await connect(dsn)
  await client.query("begin isolation level repeatable read")
  await client.query("select 1") // the snapshot is taken by the first statement, not by BEGIN
  return async () => {
    await client.query("rollback")
    await client.end()
  }
}
