// The same user under other spellings of the name, so that each has counters of its own.
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { signInPatiently, wrong } from "../guesses.ts"
import { flood } from "../wire.ts"

/** AUTH_FAILURE_USER_THRESHOLD; from seven tenths of it on a stranger is slowed down. */
const THRESHOLD = 20

/** Letters that some case mapping or normalisation makes `i`, `k` or `s` of. */
const TWINS: Readonly<Record<string, readonly string[]>> = {
  i: ["i", "I", "İ", "ı", "ｉ", "Ⅰ"],
  k: ["k", "K", "\u212a", "ｋ"],
  s: ["s", "S", "ſ", "ｓ"],
}

const NAME = "kiski"

export const spellNames: Attack = {
  name: "spell names otherwise",
  tries:
    "one user name in capitals, full-width letters, with spaces and with look-alike letters, each from a new address",
  ids: ["E-10", "SEC-61", "SEC-62"],
  async run({ engine, cast }) {
    const { password } = await cast.newPerson(NAME)
    const url = engine.urls.rest
    const spellings = spellingsOf(NAME).slice(0, 60)
    // Spellings that the engine takes for the user: only these can gain anything.
    const opened = await flood(spellings.length, 16, async (at) => {
      const username = spellings[at] as string
      const { status } = await signInPatiently(url, { username, password }, { from: freshAddress() })
      return status === 200 ? username : undefined
    })
    const working = opened.filter((username) => username !== undefined)
    await flood(THRESHOLD, THRESHOLD, (at) =>
      signInPatiently(url, wrong(working[at % working.length] as string), { from: freshAddress() }),
    )
    const slowed = await flood(working.length, 8, async (at) => {
      const { headers } = await signInPatiently(url, wrong(working[at] as string), { from: freshAddress() })
      return headers["retry-after"] !== undefined
    })
    return outcomeOf(
      `${working.length} of ${spellings.length} spellings are the user; ${slowed.filter(Boolean).length} of them slowed down`,
      {
        "the plain name and its capitals are the user": working.length >= 2,
        "after the threshold every spelling is slowed down": slowed.every(Boolean),
      },
    )
  },
}

/** The plain one and capitals first, then all that differ in one letter, then all of one kind. */
function spellingsOf(name: string): string[] {
  const letters = [...name]
  const others = letters.flatMap((letter, at) => (TWINS[letter] ?? []).map((twin) => letters.with(at, twin).join("")))
  const all = Object.entries(TWINS).flatMap(([letter, twins]) => twins.map((twin) => name.replaceAll(letter, twin)))
  return [...new Set([name, name.toUpperCase(), ` ${name} `, `${name}\u00a0`, ...others, ...all])]
}
