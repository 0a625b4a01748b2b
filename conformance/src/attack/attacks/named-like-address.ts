// User names that look like addresses, or like the guard's own names: failures on them must not touch what they look like.
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { signInPatiently, wrong } from "../guesses.ts"
import { ask, countOf, flood, tally } from "../wire.ts"

/** More than AUTH_FAILURE_IP_THRESHOLD and AUTH_FAILURE_USER_THRESHOLD. */
const FAILURES = 24

export const namedLikeAddress: Attack = {
  name: "be named like an address",
  tries: "failed sign-ins as users called like a victim's address, in four spellings of it, from other addresses",
  ids: ["SEC-62", "E-X4", "E-X11"],
  async run({ engine, cast }) {
    const url = engine.urls.rest
    const victim = freshAddress()
    const names = [victim, `ip:${victim}`, `failed:ip:${victim}`, `ip:${victim}`.toUpperCase(), "anonymous"]
    await flood(FAILURES * 2, 8, (at) =>
      signInPatiently(url, wrong(names[at % names.length] as string), { from: freshAddress() }),
    )
    const person = await cast.newPerson("living-there")
    const calls = await flood(10, 4, () => ask(url, { path: "/v1/session", from: victim }))
    const signedIn = await signInPatiently(url, person, { from: victim })
    const delayed = signedIn.headers["retry-after"]
    return outcomeOf(
      `calls from that address: ${tally(calls)}; sign-in: ${signedIn.status}${delayed ? ", delayed" : ""}`,
      {
        "the address is served": countOf(calls, 200) === calls.length,
        "its user signs in": signedIn.status === 200,
        "and is not slowed down": delayed === undefined,
      },
    )
  },
}
