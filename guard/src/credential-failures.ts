// Failed credentials, by address and by user name: two counters that never meet. They stand before the look-up of a credential.
import { randomUUID } from "node:crypto"
import { type Acting, softBlocked, throttled } from "./acting.ts"
import { failedKey, ipSubject, knownKey, nameSubject, softBlockKey } from "./keys.ts"
import type { Settings } from "./options.ts"
import { type Evidence, type Failures, scoreOf } from "./rules/score.ts"
import type { Action, Shadow } from "./shadow.ts"
import type { SoftBlocks } from "./soft-blocks.ts"
import { type Awaitable, after } from "./stores/awaitable.ts"
import { BoundedMap } from "./stores/bounded-map.ts"
import type { FailureNote } from "./stores/store.ts"
import type { FailedCredential, Visit } from "./visit.ts"

interface Parts {
  readonly settings: Settings
  readonly shadow: Shadow
  readonly acting: Acting
  readonly softBlocks: SoftBlocks
}

type Axis = "failures-by-address" | "failures-by-user"

const MOST_KNOWN = 100_000

export class CredentialFailures {
  readonly #parts: Parts
  /** What the store last said, so that no network stands before a credential. */
  readonly #counts: BoundedMap<number>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#counts = new BoundedMap({ mostEntries: MOST_KNOWN }, () => parts.settings.clock.nowMs())
  }

  /** Undefined where the credential may be tried. */
  before(visit: Visit, user: string | undefined): Awaitable<Action | undefined> {
    return this.#blockedAddress(visit) ?? this.#slowAddress(visit) ?? this.#slowName(visit, user)
  }

  #blockedAddress(visit: Visit): Action | undefined {
    const rule = "failures-by-address"
    const { softBlocks, shadow, acting } = this.#parts
    const block = softBlocks.find(softBlockKey(shadow.spaceOf(rule), rule, ipSubject(visit.address)))
    return block && acting.on(visit, softBlocked(rule, block))
  }

  /** While its credential was looked at. In shadow it has been noted before that. */
  #blockedSince(visit: Visit): Action | undefined {
    return this.#parts.shadow.covers("failures-by-address") ? undefined : this.#blockedAddress(visit)
  }

  #slowAddress(visit: Visit): Action | undefined {
    return this.#slow(visit, { byAddress: this.#failures("failures-by-address", ipSubject(visit.address)) })
  }

  /** The shared store is asked only where the request would be slowed down anyway. */
  #slowName(visit: Visit, user: string | undefined): Awaitable<Action | undefined> {
    if (user === undefined) return undefined
    const name = nameSubject(user)
    const byUser = this.#failures("failures-by-user", name)
    if (byUser === undefined || scoreOf({ byUser }).state === "allowed") return undefined
    return after(this.isOwners(visit, user), (isKnown) => (isKnown ? undefined : this.#slow(visit, { byUser })))
  }

  isOwners(visit: Visit, user: string): Awaitable<boolean> {
    return this.#parts.settings.store.isRemembered(knownKey(nameSubject(user)), visit.address)
  }

  #failures(axis: Axis, subject: string): Failures | undefined {
    const count = this.#counts.get(failedKey(this.#parts.shadow.spaceOf(axis), subject))
    return count === undefined ? undefined : { count, threshold: this.#most(axis) }
  }

  #slow(visit: Visit, evidence: Evidence): Action | undefined {
    const { rule, reason } = scoreOf(evidence)
    return rule && this.#parts.acting.on(visit, throttled(rule, reason))
  }

  /** Undefined where the caller may learn that the credential was wrong. */
  failed(visit: Visit, { user, digest }: FailedCredential): Awaitable<Action | undefined> {
    const member = digest ?? randomUUID()
    const notes = [this.#note("failures-by-address", ipSubject(visit.address), member)]
    if (user !== undefined) notes.push(this.#note("failures-by-user", nameSubject(user), randomUUID()))
    return after(this.#parts.settings.store.noteFailures(notes), (counts) => {
      for (const [at, { key, windowMs }] of notes.entries()) this.#counts.set(key, counts[at] ?? 0, windowMs)
      const count = counts[0] ?? 0
      const isTooMany = count > this.#most("failures-by-address")
      return after(this.#blockAt(visit, count), () => (isTooMany ? this.#blockedSince(visit) : undefined))
    })
  }

  #note(axis: Axis, subject: string, member: string): FailureNote {
    const key = failedKey(this.#parts.shadow.spaceOf(axis), subject)
    // One more than the threshold, so that the last that is answered can be told from the first that is too many.
    return { key, member, windowMs: this.#parts.settings.failures.windowMs, most: this.#most(axis) + 1 }
  }

  #blockAt(visit: Visit, count: number): Awaitable<void> {
    const rule = "failures-by-address"
    const { state, reason } = scoreOf({ byAddress: { count, threshold: this.#most(rule) } })
    if (state !== "soft-blocked") return undefined
    const space = this.#parts.shadow.spaceOf(rule)
    return this.#parts.softBlocks.make({ space, rule, subject: ipSubject(visit.address), reason })
  }

  /** Undefined where the caller may come in. */
  signedIn(visit: Visit, user: string | undefined): Awaitable<Action | undefined> {
    const refused = this.#blockedSince(visit)
    if (refused || user === undefined) return refused
    return after(this.#parts.settings.store.remember(knownKey(nameSubject(user)), visit.address), () => undefined)
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.#counts.delete(key)
  }

  #most(axis: Axis): number {
    const { byAddress, byUser } = this.#parts.settings.failures
    return axis === "failures-by-address" ? byAddress : byUser
  }
}
