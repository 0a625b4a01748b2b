// Many guesses at once, before the first has failed: a counter that is only raised afterwards would let them all through.
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { bearer, MOST_GUESSES, madeUpKey, signIn, wrong } from "../guesses.ts"
import { ask, countOf, flood, tally } from "../wire.ts"

const AT_ONCE = 60

export const guessInParallel: Attack = {
  name: "guess in parallel",
  tries: "60 wrong passwords, and 60 wrong keys, from one address at the same moment",
  ids: ["E-10", "E-11", "SEC-60"],
  alone: true,
  async run({ engine }) {
    const url = engine.urls.rest
    const [guesser, keyGuesser] = [freshAddress(), freshAddress()]
    const passwords = await flood(AT_ONCE, AT_ONCE, () => signIn(url, wrong("many-at-once"), { from: guesser }))
    const keys = await flood(AT_ONCE, AT_ONCE, () =>
      ask(url, { path: "/v1/instances", headers: bearer(madeUpKey()), from: keyGuesser }),
    )
    return outcomeOf(`passwords: ${tally(passwords)}; keys: ${tally(keys)}`, {
      [`exactly ${MOST_GUESSES} passwords are tried`]: countOf(passwords, 401) === MOST_GUESSES,
      [`exactly ${MOST_GUESSES} keys are answered`]: countOf(keys, 401) === MOST_GUESSES,
    })
  },
}
