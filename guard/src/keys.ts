// The names under which counters are kept. Each kind has a prefix of its own: a user named like an address never meets the address.
import { hash } from "node:crypto"
import { RHYTHM_CLASSES, type RhythmClass, type RouteClass } from "./route-class.ts"
import { RULES, type Rule } from "./verdict.ts"

/**
 * What a rule knows while it is in shadow is kept apart: when shadow ends, the rule knows nothing that would block anyone at once, and
 * nothing of it reaches an enforced answer.
 */
export type Space = "live" | "shadow"

const MOST_CHARACTERS = 120

const spaced = (space: Space, key: string): string => (space === "live" ? key : `shadow:${key}`)

/** Names are sent by callers: a long one is kept as its digest. */
const short = (text: string): string =>
  text.length <= MOST_CHARACTERS ? text : `sha256:${hash("sha256", text, "base64url")}`

/** An address as a subject: what operators block, unblock and ask about. */
export const ipSubject = (address: string): string => `ip:${address}`

/** Who a limit counts for: the client, or the address of a caller without a credential. Never one name for all of those. */
export const subjectOf = (visit: { readonly client?: string | undefined; readonly address: string }): string =>
  visit.client === undefined ? ipSubject(visit.address) : short(visit.client)

/** `Ada`, `ada` and ` ada ` are one name: else each spelling would have counters of its own. */
export const nameSubject = (user: string): string => `name:${short(user.normalize("NFKC").trim().toLowerCase())}`

/** A limit of the client's own counts over all classes. */
export const rateKey = (space: Space, subject: string, routeClass?: RouteClass): string =>
  spaced(space, `rate_limit:${routeClass === undefined ? "" : `${routeClass}:`}${subject}`)

/**
 * A rhythm is known, and blocked, in one class of routes: calls of public routes that the web page of a stranger makes in a visitor's browser
 * must not shut the sign-in for the visitor's address.
 */
const inClass = (routeClass: RhythmClass, subject: string): string => `${routeClass}:${subject}`

export const timesKey = (space: Space, routeClass: RhythmClass, subject: string): string =>
  spaced(space, `request_times:${inClass(routeClass, subject)}`)

/** `failed:ip:…` or `failed:name:…`. */
export const failedKey = (space: Space, subject: string): string => spaced(space, `failed:${subject}`)

export const softBlockKey = (space: Space, rule: Rule, subject: string): string =>
  spaced(space, `soft_block:${rule}:${subject}`)

export const rhythmBlockKey = (space: Space, routeClass: RhythmClass, subject: string): string =>
  softBlockKey(space, "regularity", inClass(routeClass, subject))

interface NamedBlock {
  readonly rule: Rule
  readonly key: string
}

/** All that may be there for a subject. */
export const softBlockKeys = (space: Space, subject: string): readonly NamedBlock[] =>
  RULES.flatMap((rule): readonly NamedBlock[] =>
    rule === "regularity"
      ? RHYTHM_CLASSES.map((routeClass) => ({ rule, key: rhythmBlockKey(space, routeClass, subject) }))
      : [{ rule, key: softBlockKey(space, rule, subject) }],
  )

/** The addresses that the owner of a name has signed in from. */
export const knownKey = (name: string): string => `known_addresses:${name}`

/** Everything that slows down or refuses a subject. Its calls in the window stay: a pardon gives no second hundred. */
export const pardonedKeys = (subject: string): string[] =>
  (["live", "shadow"] as const).flatMap((space) => [
    ...softBlockKeys(space, subject).map(({ key }) => key),
    failedKey(space, subject),
    ...RHYTHM_CLASSES.map((routeClass) => timesKey(space, routeClass, subject)),
  ])
