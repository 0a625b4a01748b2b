// 600 workflows of five steps at once, where every fifth attempt at a step fails and may be tried again: how many complete by themselves.
import { startCpuMeter } from "../measure/cpu.mjs"
import { round } from "../measure/statistics.mjs"
import { now, sleep } from "../measure/wait.mjs"

export const sizes = { full: { n: 600 }, quick: { n: 60 } }
export const show = (figures) => `${figures.completed} completed in ${figures.seconds} s, ${figures.failures} failures`

const STEPS = 5
const STEP_MS = 20
const FAILS_EVERY = 5
const DELAYS = { baseDelay: 100, maxDelay: 1000 }

export async function run({ open, size: { n }, storePid }) {
  const target = await open()
  let attempts = 0
  let failures = 0
  const runStep = async ({ fail }) => {
    await sleep(STEP_MS)
    if (++attempts % FAILS_EVERY > 0) return undefined
    failures++
    return fail(DELAYS)
  }
  const lists = await target.lists({ steps: STEPS, mode: "resume", run: runStep, concurrency: n })
  const readCpu = startCpuMeter(storePid)
  const startedAt = now()
  await lists.run(n)
  const elapsedMs = now() - startedAt
  const cpu = readCpu()
  const byStatus = await target.countByStatus()
  await lists.stop()
  const completed = round((byStatus.COMPLETED ?? 0) / n, 4)
  return {
    n,
    concurrency: n,
    steps: STEPS,
    attempts,
    failures,
    completed,
    byStatus,
    seconds: round(elapsedMs / 1000),
    ...cpu,
  }
}
