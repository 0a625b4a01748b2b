// Lists of 20 steps that do nothing: steps a second, from the first start until the store has no run unfinished.
import { startCpuMeter } from "../measure/cpu.mjs"
import { perSecond, round } from "../measure/statistics.mjs"
import { now } from "../measure/wait.mjs"

const STEPS = 20
const WARM_UP = 200

/** One workload for each way in which a list may be run; a contestant that knows only one runs that. */
export const listWorkload = (mode) => ({
  sizes: { full: { n: mode === "restart" ? 5000 : 1000 }, quick: { n: 40 } },
  show: (figures) => `${figures.stepsPerS} steps/s`,
  async run({ open, size, storePid }) {
    const target = await open()
    const lists = await target.lists({ steps: STEPS, mode })
    await lists.run(Math.min(WARM_UP, size.n))
    const readCpu = startCpuMeter(target.storePid ?? storePid)
    const startedAt = now()
    await lists.run(size.n)
    const elapsedMs = now() - startedAt
    const cpu = readCpu()
    await lists.stop()
    return { n: size.n, steps: STEPS, stepsPerS: perSecond(size.n * STEPS, elapsedMs), ms: round(elapsedMs), ...cpu }
  },
})
