// Starts over REST and over gRPC in turn, on one server in a process of its own: by one caller, and by 32 at once.
import { median, percentiles, perSecond, round } from "../measure/statistics.mjs"
import { callConcurrently, now } from "../measure/wait.mjs"

const CALLERS = 32
const BLOCKS = 5

export const sizes = { full: { n: 20_000 }, quick: { n: 300 } }
export const show = ({ p50Ms, p50Ratio, perS, rateRatio }) =>
  `${p50Ms} ms (${p50Ratio} × REST), ${perS}/s (${rateRatio} × REST)`

export async function run({ open, size }) {
  const target = await open({ transport: "grpc" })
  const doors = { rest: target.startOverRest, grpc: target.startOne }
  for (const start of Object.values(doors))
    await callConcurrently({ callers: CALLERS, n: size.n / 10 }, () => start({}))
  const alone = await callAlone(doors, size.n / 10)
  const together = await callTogether(doors, size.n)
  const p50Ms = percentiles(alone.grpc).p50Ms
  return {
    p50Ms,
    restP50Ms: percentiles(alone.rest).p50Ms,
    p50Ratio: round(median(alone.grpc) / median(alone.rest)),
    perS: median(together.grpc),
    restPerS: median(together.rest),
    rateRatio: round(median(together.grpc) / median(together.rest)),
  }
}

/** One caller: a call over each, in turn, so that the machine is the same for both. */
async function callAlone(doors, n) {
  const times = { rest: [], grpc: [] }
  for (let i = 0; i < n; i++)
    for (const [name, start] of Object.entries(doors)) {
      const at = now()
      await start({ i })
      times[name].push(now() - at)
    }
  return times
}

/** Blocks of calls over each, in turn. */
async function callTogether(doors, n) {
  const rates = { rest: [], grpc: [] }
  for (let block = 0; block < BLOCKS; block++)
    for (const [name, start] of Object.entries(doors)) {
      const at = now()
      const made = await callConcurrently({ callers: CALLERS, n: n / BLOCKS / 2 }, (i) => start({ i }))
      rates[name].push(perSecond(made, now() - at))
    }
  return rates
}
