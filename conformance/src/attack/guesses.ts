// Guessing: passwords and keys that are wrong, and what the doors say to them.
import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { crc32 } from "node:zlib"
import type { Person } from "./cast.ts"
import { type Answered, ask, type Shot } from "./wire.ts"

type Where = Pick<Shot, "from" | "peer" | "path">

/** A password is tried once; where too many hash at the moment, 503 is the answer. */
export const signIn = (
  url: string,
  { username, password }: Person,
  { path = "/auth/login", ...where }: Partial<Where>,
): Promise<Answered> => ask(url, { method: "POST", path, body: { username, password }, ...where })

const BUSY = 503
const AGAIN_MS = 50

/** Signs in as a patient caller: tries again when the answer was that there are too many requests. */
export async function signInPatiently(url: string, person: Person, where: Partial<Where>): Promise<Answered> {
  for (;;) {
    const answer = await signIn(url, person, where)
    if (answer.status !== BUSY) return answer
    await pause(AGAIN_MS)
  }
}

export const wrong = (username: string): Person => ({ username, password: `guess ${randomBytes(9).toString("hex")}` })

/** The key has the right form and checksum: only the look-up can tell that it does not exist. */
export function madeUpKey(): string {
  const id = randomBytes(8).toString("hex")
  const secret = randomBytes(22).toString("hex").slice(0, 43)
  return `mill_${id}_${secret}_${crc32(`${id}_${secret}`).toString(16).padStart(8, "0")}`
}

export const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })

/** Wrong guesses that one address may make in five minutes: AUTH_FAILURE_IP_THRESHOLD. */
export const MOST_GUESSES = 10
/** Calls that one client may make in a minute on public, login and gateway routes: RATE_LIMIT_REQUESTS. */
export const MOST_CALLS = 100
