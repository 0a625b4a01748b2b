// Reading refusals: what an attacker could learn from one about the rule that refused it, or about a user.
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { bearer, MOST_CALLS, MOST_GUESSES, madeUpKey, signInPatiently, wrong } from "../guesses.ts"
import type { Stage } from "../stage.ts"
import { type Answered, ask, flood, type Shot } from "../wire.ts"

const PATH = "/v1/session"
const AGENT = "an-agent-that-is-blocked/1.0"

export const readRefusals: Attack = {
  name: "read refusals",
  tries: "to tell the rules apart by what they answer, and a known user name from an unknown one",
  ids: ["E-32", "SEC-06", "SEC-21"],
  async run(stage) {
    const [refused, blocked, byName] = [await refusedOf(stage), await blockedOf(stage), await wrongOf(stage)]
    const statuses = (answers: readonly Answered[]) => answers.map(({ status }) => status).join(", ")
    return outcomeOf(
      `for a while: ${statuses(refused)}; blocked: ${statuses(blocked)}; two names: ${statuses(byName)}`,
      {
        "too many calls, too many guesses and an operator refuse for a while": refused.every(
          ({ status }) => status === 429,
        ),
        "a blocked address and a blocked agent are refused": blocked.every(({ status }) => status === 403),
        "refusals are byte for byte alike but for the request id, the date and how long to wait":
          areAlike(refused) && areAlike(blocked),
        "a known and an unknown user name are told the same": areAlike(byName) && byName[0]?.status === 401,
      },
    )
  },
}

/** By three rules. */
async function refusedOf({ engine, cast }: Stage): Promise<Answered[]> {
  const url = engine.urls.rest
  const [caller, guesser, named] = [freshAddress(), freshAddress(), freshAddress()]
  await flood(MOST_CALLS, 16, () => ask(url, { path: PATH, from: caller }))
  await flood(MOST_GUESSES, MOST_GUESSES, () =>
    ask(url, { path: "/v1/instances", headers: bearer(madeUpKey()), from: guesser }),
  )
  const headers = bearer(await cast.newKey("admin"))
  await ask(url, { method: "POST", path: `/admin/soft-block-ip/${named}`, headers, from: freshAddress() })
  return Promise.all([caller, guesser, named].map((from) => ask(url, { path: PATH, from })))
}

/** By two rules that only an operator's word ends. */
async function blockedOf({ engine, cast }: Stage): Promise<Answered[]> {
  const url = engine.urls.rest
  const headers = bearer(await cast.newKey("admin"))
  const order = (shot: Shot) => ask(url, { method: "POST", headers, from: freshAddress(), ...shot })
  const address = freshAddress()
  await order({ path: `/admin/block-ip/${address}` })
  await order({ path: "/admin/block-agent", body: { user_agent: AGENT } })
  const byAddress = await ask(url, { path: PATH, from: address })
  return [byAddress, await ask(url, { path: PATH, headers: { "user-agent": AGENT }, from: freshAddress() })]
}

async function wrongOf({ engine, cast }: Stage): Promise<Answered[]> {
  const { username } = await cast.newPerson("known-by-name")
  const attempts = [username, "unknown-by-name"].map((name) =>
    signInPatiently(engine.urls.rest, wrong(name), { from: freshAddress() }),
  )
  return Promise.all(attempts)
}

const areAlike = (answers: readonly Answered[]): boolean => new Set(answers.map(shapeOf)).size === 1

/** How many calls the caller has left, and how long it has to wait: said to it on purpose. */
const OWN_COUNTS: ReadonlySet<string> = new Set(["retry-after", "x-ratelimit-remaining"])

/** Everything of an answer that an attacker can see, without what differs between any two requests. */
function shapeOf({ status, headers, text }: Answered): string {
  const { "x-request-id": requestId = "", date: _date, ...rest } = headers
  const seen = JSON.stringify(rest, (name, value) => (OWN_COUNTS.has(name) ? "a number" : value))
  return `${status} ${seen} ${text.replaceAll(String(requestId), "<request id>")}`
}
