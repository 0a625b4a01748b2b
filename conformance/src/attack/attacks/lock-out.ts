// Locking a stranger out by name: a thousand addresses fail on it, and its owner signs in all the same.
import { setTimeout as pause } from "node:timers/promises"
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { signIn, signInPatiently, wrong } from "../guesses.ts"
import { type Answered, countOf, flood, tally } from "../wire.ts"

export const lockOut: Attack = {
  name: "lock a user out",
  tries:
    "wrong passwords for one user name from a thousand addresses, while its owner signs in from an address that it has used before",
  ids: ["SEC-61", "E-42"],
  alone: true,
  async run({ engine, cast, size }) {
    const url = engine.urls.rest
    const owner = await cast.newPerson("owner")
    const home = freshAddress()
    const before = await signInPatiently(url, owner, { from: home })
    let isOver = false
    const attack = flood(size(1_000, 60), size(100, 20), () =>
      signIn(url, wrong(owner.username), { from: freshAddress() }),
    ).finally(() => {
      isOver = true
    })
    const meanwhile: Answered[] = []
    while (!isOver) {
      meanwhile.push(await signIn(url, owner, { from: home }))
      // The owner signs in as often as a person may. More calls would be limited for themselves.
      await pause(1_000)
    }
    const attempts = await attack
    const after = await signInPatiently(url, owner, { from: home })
    const stranger = await signInPatiently(url, owner, { from: freshAddress() })
    return outcomeOf(
      `attackers: ${tally(attempts)}; the owner meanwhile: ${tally(meanwhile)}, afterwards ${after.status}; from a new address ${stranger.status}`,
      {
        "the owner signs in before, during and after": [before, ...meanwhile, after].every(isServed),
        "and not only when the attack is over": countOf(meanwhile, 200) > 0,
        "and is never slowed down": [...meanwhile, after].every(isPrompt),
        "at a new address the owner is slowed down, not shut out": [200, 429].includes(stranger.status),
        "no attacker gets in": countOf(attempts, 200) === 0,
      },
    )
  },
}

const BUSY = 503

/** Two passwords are hashed at a time: where too many are tried the owner is asked to come again, as all are. */
const isServed = ({ status }: Answered): boolean => status === 200 || status === BUSY

const isPrompt = ({ status, headers }: Answered): boolean => status === BUSY || headers["retry-after"] === undefined
