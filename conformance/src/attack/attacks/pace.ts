// Staying just under the limits: what a patient attacker gains.
import { setTimeout as pause } from "node:timers/promises"
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { MOST_CALLS, MOST_GUESSES, signInPatiently, wrong } from "../guesses.ts"
import { type Answered, ask, countOf, flood } from "../wire.ts"

/** AUTH_FAILURE_WINDOW_SECONDS. */
const FAILURE_WINDOW_S = 300
const DAY_S = 86_400

export const pace: Attack = {
  name: "wait and go on",
  tries:
    "all calls of a window, then one at a time until Retry-After is over, then all again; and one wrong password fewer than are too many",
  ids: ["E-07", "E-10", "E-T1"],
  async run({ engine, size }) {
    const url = engine.urls.rest
    const [caller, guesser] = [freshAddress(), freshAddress()]
    const call = () => ask(url, { path: "/v1/session", from: caller })
    const first = await flood(MOST_CALLS, 16, call)
    const between = await everySecond(size(50, 5), call)
    const wait = Number(between.at(-1)?.headers["retry-after"])
    await pause(size(wait, 0) * 1_000)
    const second = size(1, 0) === 1 ? await flood(MOST_CALLS + 50, 16, call) : []
    const guesses = await flood(MOST_GUESSES - 1, 1, () => signInPatiently(url, wrong("patiently"), { from: guesser }))
    const slowed = guesses.filter(({ headers }) => headers["retry-after"] !== undefined).length
    const told = [
      `${countOf(first, 200)} calls, ${countOf(between, 200)} more until Retry-After, ${countOf(second, 200)} after it`,
      `of ${guesses.length} passwords ${slowed} slowed down: ${((MOST_GUESSES - 1) * DAY_S) / FAILURE_WINDOW_S} a day from one address`,
    ]
    return outcomeOf(told.join("; "), {
      "no call passes before Retry-After is over": countOf(between, 200) === 0,
      [`at most ${MOST_CALLS} pass after it`]: countOf(second, 200) <= MOST_CALLS,
      "the last passwords before the block are slowed down": slowed >= 2,
    })
  },
}

async function everySecond(n: number, call: () => Promise<Answered>): Promise<Answered[]> {
  const answers: Answered[] = []
  for (let at = 0; at < n; at++) {
    answers.push(await call())
    await pause(1_000)
  }
  return answers
}
