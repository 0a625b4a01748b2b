// Events of 300 bytes from the outbox to one broker of Kafka: how fast a relay empties it beside the client alone, and how long an event
// takes from its commit to the broker when nothing else happens.
import { startCpuMeter } from "../measure/cpu.mjs"
import { median, percentiles, round } from "../measure/statistics.mjs"
import { sleep } from "../measure/wait.mjs"
import { sendAll } from "./kafka-producer.mjs"

const BLOCKS = 3
const BATCH = 1000
/** Between two events on an idle engine. */
const PAUSE_MS = 40
const DELAYS = 200

export const sizes = { full: { n: 150_000 }, quick: { n: 3000 } }
export const show = ({ perS, ratio, ownMs, callersMs }) =>
  `${perS}/s (${ratio} × the client alone), to the broker in ${ownMs} ms, of a caller's transaction in ${callersMs} ms`

export async function run({ open, size, storePid }) {
  const target = await open({ kind: "kafka-relay" })
  const count = size.n / BLOCKS
  await sendAll({ send: target.sendBare, batch: BATCH }, count / 5)
  await target.relay(count / 5)
  const rates = { bare: [], relay: [] }
  const readCpu = startCpuMeter(storePid)
  for (let block = 0; block < BLOCKS; block++) {
    rates.bare.push(await sendAll({ send: target.sendBare, batch: BATCH }, count))
    rates.relay.push(await target.relay(count))
  }
  const cpu = readCpu()
  const own = await measureDelays(target.publish)
  const callers = await measureDelays(target.publishInTransaction)
  const [perS, barePerS] = [median(rates.relay), median(rates.bare)]
  return {
    perS,
    barePerS,
    ratio: round(perS / barePerS),
    // 20,000/s, or half of what the client alone reaches, whichever is lower.
    share: round(perS / Math.min(20_000, barePerS / 2)),
    ownMs: own.p50Ms,
    ownP99Ms: own.p99Ms,
    callersMs: callers.p50Ms,
    callersP99Ms: callers.p99Ms,
    callersMaxMs: callers.maxMs,
    ...cpu,
  }
}

/** From the commit to the broker's acknowledgement. */
async function measureDelays(publish) {
  const delays = []
  for (let at = 0; at < DELAYS; at++) {
    delays.push(await publish())
    await sleep(PAUSE_MS)
  }
  return percentiles(delays)
}
