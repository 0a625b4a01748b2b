// A tenant with a long backlog and one with ten jobs that come later: how long until the last of the ten has started.
import { startCpuMeter } from "../measure/cpu.mjs"
import { fill } from "../measure/drain.mjs"
import { round } from "../measure/statistics.mjs"
import { now, sleep, until } from "../measure/wait.mjs"

export const sizes = { full: { n: 100_000 }, quick: { n: 3000 } }
export const show = (figures) =>
  `last of ${figures.few} after ${figures.lastStartMs} ms, ${figures.left} of the other left`

const FEW = 10
// In order of arrival the ten would wait for the whole backlog: 8 s at the least.
const HANDLER_MS = 5
const CONCURRENCY = 64

export async function run({ open, size: { n }, storePid }) {
  const target = await open({ kind: "jobs" })
  await fill({ target, n, options: { fairKey: "many" }, payload: { tenant: "many" } })
  await target.settle()
  const started = { many: 0, few: 0 }
  const onJob = async ({ tenant }) => {
    started[tenant]++
    await sleep(HANDLER_MS)
  }
  const readCpu = startCpuMeter(storePid)
  const worker = await target.work({ onJob, concurrency: CONCURRENCY })
  await until(() => started.many >= n / 10) // a worker in the middle of it
  const calledAt = now()
  await fill({ target, n: FEW, options: { fairKey: "few" }, payload: { tenant: "few" } })
  const enqueueMs = now() - calledAt
  await until(() => started.few >= FEW, { everyMs: 1 })
  const lastStartMs = now() - calledAt
  const left = n - started.many
  const cpu = readCpu()
  await worker.stop()
  return { n, few: FEW, lastStartMs: round(lastStartMs), enqueueMs: round(enqueueMs), left, ...cpu }
}
