// The same route under other spellings: one that the guard takes for another route, and the router does not.
import { freshAddress, freshPeer } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { MOST_GUESSES, signInPatiently, wrong } from "../guesses.ts"
import { type Answered, ask, countOf, flood, tally } from "../wire.ts"

const SPELLINGS = [
  "/AUTH/login",
  "/auth/Login",
  "/auth%2flogin",
  "/auth%2Flogin",
  "/%61uth/login",
  "/auth/%6cogin",
  "//auth/login",
  "/auth//login",
  "/auth/login/",
  "/auth/./login",
  "/auth/x/../login",
  "/auth/login;a=b",
  "/auth/login%20",
  "/auth/login%00",
  "/auth/login?next=/health",
  "/health/../auth/login",
  "/auth\\login",
  "http://127.0.0.1/auth/login",
]

const FORWARDED = [
  "/GATEWAY/spelled",
  "/%67ateway/spelled",
  "//gateway/spelled",
  "/gateway%2fspelled",
  "/./gateway/spelled",
  "/gateway/../gateway/spelled",
]

export const spellPaths: Attack = {
  name: "spell paths otherwise",
  tries:
    "capitals, percent-encoding, doubled and trailing slashes, dots and absolute URLs, to reach a blocked sign-in or the upstream",
  ids: ["E-11", "E-38", "SEC-60"],
  async run({ engine, gateway, upstream }) {
    const from = freshAddress()
    const url = engine.urls.rest
    const guess = (path: string) => signInPatiently(url, wrong("spelled-otherwise"), { from, path })
    // Every spelling twice while nothing is blocked yet, then the plain one, then every spelling once more.
    const first = await flood(SPELLINGS.length * 2, 4, (at) => guess(SPELLINGS[at % SPELLINGS.length] as string))
    const plain = await flood(MOST_GUESSES, 1, () => guess("/auth/login"))
    const blocked = await flood(SPELLINGS.length, 4, (at) => guess(SPELLINGS[at] as string))
    const peer = freshPeer()
    const strangers = await Promise.all(FORWARDED.map((path) => ask(gateway.urls.rest, { path, peer })))
    const tried = countOf([...first, ...plain, ...blocked], 401)
    return outcomeOf(`${tried} passwords tried; blocked: ${tally(blocked)}; to the upstream: ${tally(strangers)}`, {
      [`at most ${MOST_GUESSES} passwords are tried`]: tried <= MOST_GUESSES,
      "no spelling reaches a sign-in that is blocked": blocked.every(isRefused),
      "nothing reaches the upstream":
        !upstream.asked.some(({ path }) => path.includes("spelled")) && countOf(strangers, 200) === 0,
    })
  },
}

const isRefused = ({ status }: Answered): boolean => status >= 400 && status < 500
