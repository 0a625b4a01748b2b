// POST /v1/intake with a key that has a limit of its own: with the guard off, with its counters in memory, and with its counters in Redis.
// The three take turns. The rate is that of 32 callers; what a call costs more is taken from calls of one after the other to all three.
import { expectStatus, loadHttp, openCaller } from "../measure/http-load.mjs"
import { median, percentiles, perSecond, round } from "../measure/statistics.mjs"
import { now } from "../measure/wait.mjs"
import { LIST, requestTo } from "./intake.mjs"

export const sizes = { full: { n: 20_000 }, quick: { n: 300 } }
export const show = (figures) =>
  `${figures.offPerS}/s without, in memory ${figures.memoryRatio} of it and ${figures.memoryAddedMs} ms more p99, on Redis ${figures.redisRatio} and ${figures.redisAddedMs} ms`

const CALLERS = 32
const BLOCKS = 5
const WARM_UP = 2000
const DOORS = ["off", "memory", "redis"]

export async function run({ open, size: { n } }) {
  const target = await open({ kind: "guard" })
  await target.upload(LIST)
  const requestAt = (door) => requestTo(target.urls[door], { authorization: target.authorization })
  for (const door of DOORS) await load(target, requestAt, { door, n: Math.min(WARM_UP, n) })
  const rates = await inBlocks(target, requestAt, n / BLOCKS)
  const p99 = await inTurn(target, requestAt, n / 4)
  const perS = Object.fromEntries(DOORS.map((door) => [`${door}PerS`, median(rates[door])]))
  const ratio = (door) => round(median(rates[door].map((rate, block) => rate / rates.off[block])))
  const added = (door) => round(p99[door] - p99.off)
  return {
    ...{ n, callers: CALLERS, ...perS, offP99Ms: p99.off },
    ...{ memoryRatio: ratio("memory"), redisRatio: ratio("redis") },
    ...{ memoryAddedMs: added("memory"), redisAddedMs: added("redis") },
  }
}

const load = ({ urls }, requestAt, { door, n }) =>
  loadHttp({ url: urls[door], callers: CALLERS, n, status: 202, requestOf: () => requestAt(door) })

/** Another one is first in every block. */
const orderIn = (block) => DOORS.map((_, at) => DOORS[(at + block) % DOORS.length])

async function inBlocks(target, requestAt, n) {
  const rates = { off: [], memory: [], redis: [] }
  for (let block = 0; block < BLOCKS; block++)
    for (const door of orderIn(block)) {
      const loaded = await load(target, requestAt, { door, n })
      rates[door].push(perSecond(loaded.n, loaded.ms))
    }
  return rates
}

/** One caller, so that no call waits for another: the machine is the same for all three. */
async function inTurn({ urls }, requestAt, n) {
  const times = { off: [], memory: [], redis: [] }
  const callers = {}
  for (const door of DOORS) callers[door] = await openCaller(urls[door])
  for (let call = 0; call < n; call++)
    for (const door of orderIn(call)) {
      const at = now()
      expectStatus(await callers[door].ask(requestAt(door)), [202])
      times[door].push(now() - at)
    }
  for (const caller of Object.values(callers)) caller.close()
  return Object.fromEntries(DOORS.map((door) => [door, percentiles(times[door]).p99Ms]))
}
