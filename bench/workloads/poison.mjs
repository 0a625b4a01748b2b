// Instances that try to exhaust the engine, beside healthy ones: what the healthy ones lose, how late timers are, and whether the
// server stays ready. Two kinds: one doubles a text until it is refused; one stays below every limit and is busy for ever.
import { residentMiB } from "../measure/resident.mjs"
import { perSecond, round } from "../measure/statistics.mjs"
import { callConcurrently, now, sleep, until } from "../measure/wait.mjs"

export const sizes = { full: { n: 20_000, poisons: 10 }, quick: { n: 200, poisons: 2 } }
export const show = ({ ratio, lateMs, notReady, rssMiB, busyRatio }) =>
  `${ratio} of the throughput without, timers ${lateMs} ms late, not ready ${notReady} times, ${rssMiB} MiB; ${busyRatio} beside busy ones`

const CALLERS = 32
const TIMER_S = 1

export async function run({ open, size: { n, poisons } }) {
  const target = await open({ transport: "rest" })
  for (const definition of [doubling, busy, timed]) await target.upload(definition)
  let handled = 0
  const worker = await target.work({ onJob: () => handled++, profile: "steady" })
  const healthy = async () => {
    handled = 0
    const startedAt = now()
    await callConcurrently({ callers: CALLERS, n }, (i) => target.startOne({ i }))
    await until(() => handled >= n)
    return perSecond(n, now() - startedAt)
  }
  await healthy()
  const alone = await healthy()
  const watch = watchServer(target)
  const attack = double(target, poisons)
  await sleep(2000)
  const beside = await healthy()
  await attack.stop()
  const seen = { ...(await watch.stop()), ...(await lateness(target)) }
  await Promise.all(Array.from({ length: poisons }, () => target.startOf(busy.id, { text: "x".repeat(200_000) })))
  const besideBusy = await healthy()
  await worker.stop()
  const [ratio, busyRatio] = [round(beside / alone, 2), round(besideBusy / alone, 2)]
  return { n, poisons, alone, beside, ratio, ...seen, busyRatio }
}

// Each ends when it is refused, so new ones follow every second, with a healthy timer beside them.
function double(target, poisons) {
  let isOver = false
  const loop = async () => {
    while (!isOver) {
      await Promise.all(Array.from({ length: poisons }, () => target.startOf(doubling.id, { a: "x".repeat(100) })))
      await target.startOf(timed.id, {})
      await sleep(1000)
    }
  }
  const running = loop()
  return {
    async stop() {
      isOver = true
      await running
    },
  }
}

function watchServer({ url, serverPid }) {
  let isOver = false
  let notReady = 0
  let rssMiB = 0
  const loop = async () => {
    while (!isOver) {
      const { ok } = await fetch(`${url}/readyz`).catch(() => ({ ok: false }))
      if (!ok) notReady++
      rssMiB = Math.max(rssMiB, residentMiB(serverPid))
      await sleep(100)
    }
  }
  const running = loop()
  return {
    async stop() {
      isOver = true
      await running
      return { notReady, rssMiB }
    },
  }
}

/** The latest of the healthy timers. */
async function lateness({ query }) {
  await until(
    async () => (await query(`select from millrace.instances where definition_id = '${timed.id}'`)).rowCount === 0,
  )
  const { rows } = await query(
    `select max(extract(epoch from completed_at - started_at) * 1000 - ${TIMER_S * 1000})::integer as late
     from millrace.finished_instances where definition_id = '${timed.id}'`,
  )
  return { lateMs: rows[0].late }
}

const step = (type, id, more) => ({ id, name: id, type, ...more })
const after = (duration, targetStepId) => [{ type: "TIMER", duration, interrupting: true, targetStepId }]
const expression = (text) => `\${${text}}`

const timed = {
  id: "bench-timed",
  name: "Waits for a timer",
  steps: [
    step("WAIT", "wait", { nextStep: "end", boundaryEvents: after(`PT${TIMER_S}S`, "end") }),
    step("END", "end", {}),
  ],
}

const DOUBLINGS = 20
const COPIES = 150

export const doubling = {
  id: "bench-doubling",
  name: "Doubles a text behind a timer",
  steps: [
    step("WAIT", "wait", { nextStep: "d0", boundaryEvents: after("PT1S", "d0") }),
    ...Array.from({ length: DOUBLINGS }, (_, k) =>
      step("TRANSFORMATION", `d${k}`, {
        transformations: { a: expression("#a + #a") },
        nextStep: k + 1 < DOUBLINGS ? `d${k + 1}` : "copies",
      }),
    ),
    step("TRANSFORMATION", "copies", {
      transformations: Object.fromEntries(Array.from({ length: COPIES }, (_, k) => [`c${k}`, expression("#a")])),
      nextStep: "wait2",
    }),
    step("WAIT", "wait2", { nextStep: "end", boundaryEvents: after("PT1S", "end") }),
    step("END", "end", {}),
  ],
}

const busy = {
  id: "bench-busy",
  name: "Searches a long text every tenth of a second",
  steps: [
    step("WAIT", "wait", { nextStep: "end", boundaryEvents: after("PT0.1S", "search") }),
    step("TRANSFORMATION", "search", {
      transformations: Object.fromEntries(
        Array.from({ length: 20 }, (_, k) => [`f${k}`, expression('"xxxxxxxxy" in #text')]),
      ),
      nextStep: "wait",
    }),
    step("END", "end", {}),
  ],
}
