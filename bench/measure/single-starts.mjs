// Starts one at a time from 32 concurrent callers, each answered after its commit; nobody works.
import { startCpuMeter } from "./cpu.mjs"
import { perSecond } from "./statistics.mjs"
import { callConcurrently, now } from "./wait.mjs"

const CALLERS = 32
// Long enough for the code to be compiled, of everybody alike: what is measured is a service, not its first second. With 2,000
// a start cost Node 30 µs of CPU, after 20,000 some 20, and after 50,000 12.
const WARM_UP = 20_000
const WARM_UP_MS = 10_000

export async function startSingly({ target, n: wanted, storePid }) {
  const warmUp = { callers: CALLERS, n: Math.min(WARM_UP, wanted), limitMs: WARM_UP_MS }
  await callConcurrently(warmUp, () => target.startOne({ i: -1 }))
  const readCpu = startCpuMeter(target.storePid ?? storePid)
  const startedAt = now()
  const n = await callConcurrently({ callers: CALLERS, n: wanted, limitMs: 30_000 }, (i) => target.startOne({ i }))
  return { n, callers: CALLERS, perS: perSecond(n, now() - startedAt), ...readCpu(n) }
}
