// One user with many tokens and many addresses: the user is who calls, wherever from and with whichever token.
import { freshPeer } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { bearer, MOST_CALLS, signInPatiently } from "../guesses.ts"
import { ask, countOf, flood, tally } from "../wire.ts"

const CALLS = 150
const TOKENS = 5

export const shareTokens: Attack = {
  name: "share a user",
  tries: "150 calls through the gateway with five tokens of one user, each call from another address",
  ids: ["E-09", "E-07", "E-19"],
  async run({ gateway, upstream, cast }) {
    const url = gateway.urls.rest
    const person = await cast.newPerson("shared")
    const tokens = await flood(TOKENS, 1, async () => {
      const { text } = await signInPatiently(url, person, { peer: freshPeer() })
      return (JSON.parse(text) as { access_token: string }).access_token
    })
    const answers = await flood(CALLS, 32, (at) =>
      ask(url, { path: `/gateway/shared/${at}`, headers: bearer(tokens[at % TOKENS] as string), peer: freshPeer() }),
    )
    const reached = upstream.asked.filter(({ path }) => path.startsWith("/shared/")).length
    return outcomeOf(`${tally(answers)}; ${reached} reached the upstream`, {
      [`exactly ${MOST_CALLS} calls pass`]: countOf(answers, 200) === MOST_CALLS,
      "no other reaches the upstream": reached === MOST_CALLS,
    })
  },
}
