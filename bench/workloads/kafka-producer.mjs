// Events of 300 bytes to one broker of Kafka, through Millrace's sink and through the client alone, in turn: what a relay can reach.
import { startCpuMeter } from "../measure/cpu.mjs"
import { median, perSecond, round } from "../measure/statistics.mjs"
import { now } from "../measure/wait.mjs"

const BATCH = 1000
/** As many as a relay hands over by default. */
const SMALL_BATCH = 200
const BLOCKS = 5
const KEYS = 1000
const BYTES = 300

export const sizes = { full: { n: 500_000 }, quick: { n: 5000 } }
export const show = ({ perS, ratio, smallPerS }) =>
  `${perS}/s (${ratio} × the client alone), ${smallPerS}/s in batches of 200`

export async function run({ open, size, storePid }) {
  const target = await open({ kind: "kafka" })
  const ways = {
    bare: { send: target.sendBare, batch: BATCH },
    perS: { send: target.send, batch: BATCH },
    smallPerS: { send: target.send, batch: SMALL_BATCH },
  }
  const count = size.n / BLOCKS
  for (const way of Object.values(ways)) await sendAll(way, count / 5)
  const rates = { bare: [], perS: [], smallPerS: [] }
  const readCpu = startCpuMeter(storePid)
  for (let block = 0; block < BLOCKS; block++)
    for (const [name, way] of Object.entries(ways)) rates[name].push(await sendAll(way, count))
  return {
    perS: median(rates.perS),
    smallPerS: median(rates.smallPerS),
    barePerS: median(rates.bare),
    ratio: round(median(rates.perS) / median(rates.bare)),
    ...readCpu(),
  }
}

/** One batch after the other, as a relay does: events a second. */
export async function sendAll({ send, batch }, count) {
  const payload = JSON.stringify({ text: "x".repeat(BYTES - '{"text":""}'.length) })
  const startedAt = now()
  for (let from = 0; from < count; from += batch) {
    const events = Array.from({ length: batch }, (_, k) => ({
      id: `${from + k}`,
      type: "events",
      key: `k${(from + k) % KEYS}`,
      payload,
      headers: {},
      createdAt: 0,
    }))
    await send(events)
  }
  return perSecond(count, now() - startedAt)
}
