// Offers starts at a fixed rate, whether or not earlier ones have been answered, and times each call to its handler.
import { startCpuMeter } from "./cpu.mjs"
import { percentiles, perSecond } from "./statistics.mjs"
import { now, sleep, until } from "./wait.mjs"

export async function offerLoad({ target, n, perS, profile, storePid }) {
  const calledAt = new Map()
  const latencies = []
  let handled = 0
  const onJob = ({ i }) => {
    handled++
    if (calledAt.has(i)) latencies.push(now() - calledAt.get(i))
  }
  const worker = await target.work({ onJob, profile })
  await warmUp()

  const readCpu = startCpuMeter(target.storePid ?? storePid)
  const startedAt = now()
  const answers = []
  await pace({ n, perS }, (i) => {
    const at = now()
    calledAt.set(i, at)
    answers.push(target.startOne({ i }).then(() => now() - at))
  })
  const answered = await Promise.all(answers)
  await until(() => latencies.length >= n, { limitMs: 60_000 })
  const elapsedMs = now() - startedAt
  await until(async () => !(await target.anyUnfinished()), { everyMs: 20 }) // deferred completions count in the CPU
  const cpu = readCpu(n)
  await worker.stop()
  return {
    n,
    perS,
    achievedPerS: perSecond(n, elapsedMs),
    ...percentiles(latencies),
    answer: percentiles(answered),
    ...cpu,
  }

  // Opens pools and warms code: a few one by one, then up to two seconds at the offered rate. Negative ids are not timed.
  async function warmUp() {
    for (let k = 1; k <= 20; k++) await target.startOne({ i: -k })
    await until(() => handled >= 20)
    const more = Math.min(perS * 2, n)
    const pending = []
    await pace({ n: more, perS }, (k) => pending.push(target.startOne({ i: -100 - k })))
    await Promise.all(pending)
    await until(() => handled >= 20 + more)
    await sleep(Math.min(1000, n))
  }
}

// Each tick sends all that is due by now, so a late timer never lowers the offered rate.
export async function pace({ n, perS }, send) {
  const startedAt = now()
  for (let sent = 0; sent < n; ) {
    const due = Math.min(n, Math.floor(((now() - startedAt) / 1000) * perS) + 1)
    while (sent < due) send(sent++)
    await sleep(Math.max(0, Math.min(startedAt + (sent / perS) * 1000 - now(), 5)))
  }
}
