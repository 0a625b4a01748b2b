// The same one-step instances with workers that poll over REST and with workers on a topic of Kafka: how long a start takes to reach its
// handler when little happens, how fast ready work is drained, and what a job costs.
import { cpuOf } from "../measure/cpu.mjs"
import { fillAndDrain } from "../measure/drain.mjs"
import { offerLoad } from "../measure/offered-load.mjs"
import { round } from "../measure/statistics.mjs"

const PER_S = 50

export const sizes = { full: { n: 10_000, idle: 1000 }, quick: { n: 200, idle: 40 } }
export const show = ({ polling, kafka }) =>
  `polling ${polling.p50Ms} / ${polling.p99Ms} ms, ${polling.perS}/s, ${polling.cpuMs} ms CPU a job; ` +
  `Kafka ${kafka.p50Ms} / ${kafka.p99Ms} ms, ${kafka.perS}/s, ${kafka.cpuMs} ms CPU a job`

export async function run({ open, size, storePid }) {
  const polling = await measure({ target: await open({ transport: "rest" }), size, storePid })
  const kafka = await measure({ target: await open({ transport: "kafka" }), size, storePid })
  return {
    polling,
    kafka,
    kafkaP99Ms: kafka.p99Ms,
    drainRatio: round(kafka.perS / polling.perS),
    idleRatio: round(kafka.p50Ms / polling.p50Ms),
  }
}

async function measure({ target, size, storePid }) {
  const { p50Ms, p99Ms } = await offerLoad({ target, n: size.idle ?? 1000, perS: PER_S, profile: "latency", storePid })
  const before = cpuOf([target.serverPid])
  const { perS, cpuS } = await fillAndDrain({ target, n: size.n, storePid })
  const server = cpuOf([target.serverPid]) - before
  await target.close()
  // Of the worker's process and the database while it drained, and of the server for starts and reports; the broker is not counted.
  return { p50Ms, p99Ms, perS, cpuMs: round(((cpuS + server) * 1000) / size.n) }
}
