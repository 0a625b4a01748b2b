// One household has 2^64 IPv6 addresses: a new one for every call, in every spelling, is still one caller.
import { freshNetwork } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { MOST_CALLS } from "../guesses.ts"
import { ask, countOf, flood, tally } from "../wire.ts"

const CALLS = 150

/** One address, as proxies write it. */
const SPELLINGS: readonly ((network: string, host: string) => string)[] = [
  (network, host) => `${network}::${host}`,
  (network, host) => `${network}:0:0:0:${host}`.toUpperCase(),
  (network, host) => `[${network}::${host}]:${1024 + Number.parseInt(host, 16)}`,
  (network, host) => `${network}::${host}%eth0`,
  (network, host) => `${network}:ffff:ffff:ffff:${host}`,
]

export const rotateWithin64: Attack = {
  name: "rotate within a /64",
  tries: "a new IPv6 address of one /64 for every call, in five spellings, all with the same request id",
  ids: ["SEC-04", "SEC-60", "E-X2", "E-X7", "E-X11"],
  async run({ engine }) {
    const [network, neighbour] = [freshNetwork(), freshNetwork()]
    const headers = { "x-request-id": "always-the-same" }
    const shoot = (from: string) => ask(engine.urls.rest, { path: "/v1/session", headers, from })
    const answers = await flood(CALLS, 64, (at) => {
      const spell = SPELLINGS[at % SPELLINGS.length] as (typeof SPELLINGS)[number]
      return shoot(spell(network, (at + 1).toString(16)))
    })
    const next = await shoot(`${neighbour}::1`)
    return outcomeOf(`${tally(answers)}; the /64 beside it: ${next.status}`, {
      [`exactly ${MOST_CALLS} calls pass`]: countOf(answers, 200) === MOST_CALLS,
      "the others are refused": countOf(answers, 429) === CALLS - MOST_CALLS,
      "the next household is served": next.status === 200,
    })
  },
}
