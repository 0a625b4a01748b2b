// Requests that are slowed down wait here: ten thousand of them at once must not fill the memory.
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { signIn, signInPatiently, wrong } from "../guesses.ts"
import { residentMiB } from "../resident.ts"
import { ask, countOf, flood, tally } from "../wire.ts"

const MOST_HELD = 100
const DELAY_MS = 2_000
/** Enough failures on the name: every attempt from an unknown address is slowed down. */
const FAILURES = 16
const MOST_GROWTH_MIB = 250
const NAME = "everyones-target"

export const floodThrottled: Attack = {
  name: "flood what is slowed down",
  tries: "10,000 attempts at once that are slowed down by two seconds each, from 10,000 addresses",
  ids: ["E-36", "SEC-63"],
  alone: true,
  async run({ engine, size }) {
    const url = engine.urls.rest
    await flood(FAILURES, 4, () => signInPatiently(url, wrong(NAME), { from: freshAddress() }))
    const total = size(10_000, 400)
    const before = residentMiB(engine.pid)
    const startedAt = performance.now()
    let [most, isOver] = [before, false]
    const honest: number[] = []
    const watching = (async () => {
      while (!isOver) {
        most = Math.max(most, residentMiB(engine.pid))
        honest.push((await ask(url, { path: "/v1/session", from: freshAddress() })).status)
      }
    })()
    const answers = await flood(total, 250, () => signIn(url, wrong(NAME), { from: freshAddress() }))
    const tookMs = performance.now() - startedAt
    isOver = true
    await watching
    const waited = total - countOf(answers, 429)
    // A place is free again when its delay is over.
    const bound = MOST_HELD * (1 + Math.ceil(tookMs / DELAY_MS))
    return outcomeOf(
      `${tally(answers)} in ${(tookMs / 1_000).toFixed(1)} s; ${waited} waited, ${most - before} MiB more`,
      {
        [`at most ${MOST_HELD} wait at a time`]: waited <= bound,
        "beyond that it is refused early": countOf(answers, 429) > 0,
        "every refusal says when to come back": answers.every(
          ({ status, headers }) => status !== 429 || headers["retry-after"] !== undefined,
        ),
        [`the engine grows by at most ${MOST_GROWTH_MIB} MiB`]: most - before <= MOST_GROWTH_MIB,
        "others are served meanwhile": honest.length > 0 && honest.every((status) => status === 200),
      },
    )
  },
}
