// An attacker with an account of its own signs in between the guesses, in the hope that a success clears the failures.
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { MOST_GUESSES, signInPatiently, wrong } from "../guesses.ts"
import { type Answered, countOf, tally } from "../wire.ts"

const GUESSES = 14

export const guessBetweenSignIns: Attack = {
  name: "guess between sign-ins",
  tries: "wrong passwords of others, with a sign-in to an account of its own after every third",
  ids: ["E-10", "E-11"],
  async run({ engine, cast }) {
    const from = freshAddress()
    const own = await cast.newPerson("mallory")
    const guesses: Answered[] = []
    for (let at = 0; at < GUESSES; at++) {
      guesses.push(await signInPatiently(engine.urls.rest, wrong(`victim-${at}`), { from }))
      if (at % 3 === 2 && at < MOST_GUESSES - 1) await signInPatiently(engine.urls.rest, own, { from })
    }
    return outcomeOf(tally(guesses), {
      [`at most ${MOST_GUESSES} passwords are tried`]: countOf(guesses, 401) <= MOST_GUESSES,
      "the others are refused": countOf(guesses, 403) === GUESSES - MOST_GUESSES,
    })
  },
}
