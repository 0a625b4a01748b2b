// Credentials that were good of late, by their digests: where an address is under suspicion for what its neighbours sent, their owners
// are still asked who they are.

const KEEP_MS = 3_600_000
/** One that was noted within this time is not noted again: a busy caller would have its place moved at every call. */
const AGAIN_MS = 60_000
const MOST = 10_000

/** Bounded: of too many the one that was noted first is forgotten. */
export class VerifiedCredentials {
  readonly #until = new Map<string, number>()

  has(digest: string): boolean {
    return (this.#until.get(digest) ?? 0) > performance.now()
  }

  note(digest: string, isGood: boolean): void {
    const untilMs = performance.now() + KEEP_MS
    if (isGood && untilMs - (this.#until.get(digest) ?? 0) < AGAIN_MS) return
    this.#until.delete(digest)
    if (!isGood) return
    this.#until.set(digest, untilMs)
    if (this.#until.size > MOST) this.#until.delete(this.#until.keys().next().value as string)
  }
}
