// A client behind the trusted proxy writes the headers by which proxies name their clients.
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { MOST_CALLS } from "../guesses.ts"
import { ask, countOf, flood, tally } from "../wire.ts"

const CALLS = 150

export const spoofBehindProxy: Attack = {
  name: "spoof behind the proxy",
  tries:
    "made-up addresses on the left of X-Forwarded-For, in Forwarded, X-Real-IP and six headers like it, in front of what the proxy adds",
  ids: ["SEC-04", "E-X7"],
  async run({ engine }) {
    const real = freshAddress()
    const answers = await flood(CALLS, 64, (at) => {
      const madeUp = freshAddress()
      // A header of its own on one line and the proxy's on the next, or one line for both.
      const forwardedFor = at % 2 === 0 ? `${madeUp}, ${real}` : [madeUp, real]
      return ask(engine.urls.rest, {
        path: "/v1/session",
        headers: { ...namesOf(madeUp), "x-forwarded-for": forwardedFor },
      })
    })
    return outcomeOf(tally(answers), {
      [`exactly ${MOST_CALLS} calls pass`]: countOf(answers, 200) === MOST_CALLS,
      "the others are refused": countOf(answers, 429) === CALLS - MOST_CALLS,
    })
  },
}

/** Every header that some proxy names its client in. */
export const namesOf = (address: string): Record<string, string> => ({
  forwarded: `for=${address}`,
  "x-real-ip": address,
  "x-client-ip": address,
  "x-cluster-client-ip": address,
  "true-client-ip": address,
  "cf-connecting-ip": address,
  "fastly-client-ip": address,
  "x-millrace-client": `key:${address}`,
})
