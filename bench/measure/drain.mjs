// Makes work ready with nobody working, then lets one worker drain it until the store has none left.
import { startCpuMeter } from "./cpu.mjs"
import { perSecond, round } from "./statistics.mjs"
import { now, until } from "./wait.mjs"

const FILL_BATCH = 1000

export async function fillAndDrain({ target, n, storePid }) {
  if (target.startAndDrain) return startWhileDraining({ target, n, storePid })
  await fill({ target, n })
  await target.settle?.()
  return drain({ target, n, storePid })
}

/** One batch after the other. */
export async function fill({ target, n, options, payload = {} }) {
  for (let from = 0; from < n; from += FILL_BATCH) {
    const batch = Array.from({ length: Math.min(FILL_BATCH, n - from) }, (_, k) => ({ i: from + k, ...payload }))
    await target.startMany(batch, options)
  }
}

export async function drain({ target, n, storePid, onJob: seen = () => {} }) {
  let handled = 0
  let firstAt
  const onJob = (payload) => {
    firstAt ??= now()
    handled++
    seen(payload)
  }
  const readCpu = startCpuMeter(target.storePid ?? storePid)
  const startedAt = now()
  const worker = await target.work({ onJob, profile: "drain" })
  await until(() => handled >= n)
  await until(async () => !(await target.anyUnfinished()))
  const elapsedMs = now() - startedAt
  const cpu = readCpu(n)
  await worker.stop()
  return { n, perS: perSecond(n, elapsedMs), ms: round(elapsedMs), firstMs: round(firstAt - startedAt), ...cpu }
}

// For a contestant whose work cannot be held back: from the first start to the last completion, starts included.
async function startWhileDraining({ target, n, storePid }) {
  const readCpu = startCpuMeter(target.storePid ?? storePid)
  const startedAt = now()
  await target.startAndDrain(n)
  const elapsedMs = now() - startedAt
  return { n, perS: perSecond(n, elapsedMs), ms: round(elapsedMs), overlapped: true, ...readCpu(n) }
}
