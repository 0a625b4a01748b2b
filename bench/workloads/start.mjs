// Starts one-step instances one at a time from 32 concurrent callers, each answered after its commit; nobody works.
import { startCpuMeter } from "../measure/cpu.mjs"
import { perSecond } from "../measure/statistics.mjs"
import { callConcurrently, now } from "../measure/wait.mjs"

export const sizes = { full: { n: 20_000 }, quick: { n: 300 } }
export const show = (figures) => `${figures.perS}/s`

const CALLERS = 32
// Long enough for the code to be compiled, of everybody alike: what is measured is a service, not its first second.
const WARM_UP = 2000

export async function run({ open, size, storePid }) {
  const target = await open()
  await callConcurrently({ callers: CALLERS, n: Math.min(WARM_UP, size.n) }, () => target.startOne({ i: -1 }))
  const readCpu = startCpuMeter(target.storePid ?? storePid)
  const startedAt = now()
  const n = await callConcurrently({ callers: CALLERS, n: size.n, limitMs: 30_000 }, (i) => target.startOne({ i }))
  return { n, callers: CALLERS, perS: perSecond(n, now() - startedAt), ...readCpu() }
}
