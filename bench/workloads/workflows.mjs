// Workflows of five sequential steps, durable per step, from the first start until the store has none unfinished.
import { startCpuMeter } from "../measure/cpu.mjs"
import { perSecond, round } from "../measure/statistics.mjs"
import { now } from "../measure/wait.mjs"

export const sizes = { full: { n: 3000 }, quick: { n: 60 } }
export const show = (figures) => `${figures.perS}/s`

const STEPS = 5
// Long enough for the code to be compiled, of everybody alike: what is measured is a service, not its first second. The first
// thousand workflows cost Node 820 µs of CPU each, the second 350, from the fourth on 230.
const WARM_UP = 3000

export async function run({ open, size, storePid }) {
  const target = await open()
  const flows = await target.workflows({ steps: STEPS })
  await flows.run(Math.min(WARM_UP, size.n))
  const readCpu = startCpuMeter(target.storePid ?? storePid)
  const startedAt = now()
  await flows.run(size.n)
  const elapsedMs = now() - startedAt
  const cpu = readCpu(size.n)
  await flows.stop()
  return { n: size.n, steps: STEPS, perS: perSecond(size.n, elapsedMs), ms: round(elapsedMs), ...cpu }
}
