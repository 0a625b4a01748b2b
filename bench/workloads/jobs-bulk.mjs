// Enqueues standalone jobs in batches of 1000, one batch after the other; nobody works.
import { startCpuMeter } from "../measure/cpu.mjs"
import { fill } from "../measure/drain.mjs"
import { perSecond, round } from "../measure/statistics.mjs"
import { now } from "../measure/wait.mjs"

export const sizes = { full: { n: 100_000 }, quick: { n: 3000 } }
export const show = (figures) => `${figures.perS}/s`

const WARM_UP = 5000

export async function run({ open, size: { n }, storePid }) {
  const target = await open({ kind: "jobs" })
  await fill({ target, n: Math.min(WARM_UP, n) })
  const readCpu = startCpuMeter(target.storePid ?? storePid)
  const startedAt = now()
  await fill({ target, n })
  const elapsedMs = now() - startedAt
  return { n, batch: 1000, perS: perSecond(n, elapsedMs), ms: round(elapsedMs), ...readCpu(n) }
}
