// Learns when transactions that callers have begun come to their end, so that what has to follow a commit follows it at once.
//
// The server is asked for the status of a transaction by its id: any driver will do, and a pooler too. Where the driver tells that the
// transaction is over, it is asked then. Where no driver tells, it is asked again and again: after a quarter of the time that the
// transaction has been open since, so that a short one is seen after milliseconds and a long one costs a few statements a second.
// All that are due are asked for in one statement. What is not seen here is found by the pulse within a second.

/** In progress, committed, aborted; null when it was so long ago that the server has forgotten it. */
export type XactStatus = "in progress" | "committed" | "aborted" | null

/** One status for each id, in their order. */
type AskStatuses = (xids: readonly string[]) => Promise<readonly XactStatus[]>

/** Calls back, once, when the driver has seen the end of the transaction. */
export type OnEnd = (look: () => void) => void

interface Watched {
  readonly xid: string
  readonly sinceMs: number
  readonly works: (() => void)[]
  dueMs: number
}

const FIRST_MS = 2
const LONGEST_MS = 250
const SHARE = 4
const ASKED = Number.POSITIVE_INFINITY
/** A transaction that stays open for longer is left to the pulse. */
const GIVE_UP_MS = 60_000

export class CommitWatch {
  readonly #ask: AskStatuses
  readonly #watched = new Map<string, Watched>()
  #timer: NodeJS.Timeout | undefined
  #timerMs = Number.POSITIVE_INFINITY
  #isAsking = false
  #isClosed = false

  constructor(ask: AskStatuses) {
    this.#ask = ask
  }

  /** Does the work once the transaction is committed, and never if it is rolled back. */
  watch(xid: string, works: readonly (() => void)[], onEnd?: OnEnd): void {
    if (this.#isClosed) return
    const known = this.#watched.get(xid)
    if (known) return void known.works.push(...works)
    const nowMs = performance.now()
    const watched = { xid, sinceMs: nowMs, works: [...works], dueMs: nowMs + (onEnd ? LONGEST_MS : FIRST_MS) }
    this.#watched.set(xid, watched)
    onEnd?.(() => {
      watched.dueMs = 0
      this.#plan()
    })
    this.#plan()
  }

  /** How many transactions it waits for. */
  get size(): number {
    return this.#watched.size
  }

  close(): void {
    this.#isClosed = true
    this.#watched.clear()
    clearTimeout(this.#timer)
  }

  /** One timer, for the first that is due. */
  #plan(): void {
    const dueMs = Math.min(...[...this.#watched.values()].map((watched) => watched.dueMs))
    if (this.#isAsking || dueMs >= this.#timerMs) return
    clearTimeout(this.#timer)
    this.#timerMs = dueMs
    this.#timer = setTimeout(() => void this.#look(), Math.max(0, dueMs - performance.now()))
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    this.#timerMs = Number.POSITIVE_INFINITY
    const nowMs = performance.now()
    const due = [...this.#watched.values()].filter(({ dueMs }) => dueMs <= nowMs + 1)
    for (const watched of due) watched.dueMs = ASKED
    this.#isAsking = true
    const statuses = due.length > 0 ? await this.#statusesOf(due) : []
    this.#isAsking = false
    for (const [at, watched] of due.entries()) this.#settle(watched, statuses[at] ?? null)
    if (this.#watched.size > 0) this.#plan()
  }

  /** A server that does not answer has not said that they are over. */
  async #statusesOf(due: readonly Watched[]): Promise<readonly XactStatus[]> {
    try {
      return await this.#ask(due.map(({ xid }) => xid))
    } catch {
      return due.map(() => "in progress" as const)
    }
  }

  #settle(watched: Watched, status: XactStatus): void {
    const nowMs = performance.now()
    const openMs = nowMs - watched.sinceMs
    // Its end may have been told while the server was asked.
    if (watched.dueMs === ASKED) watched.dueMs = nowMs + Math.min(LONGEST_MS, Math.max(FIRST_MS, openMs / SHARE))
    if (status === "in progress" && openMs < GIVE_UP_MS) return
    this.#watched.delete(watched.xid)
    if (status === "committed") for (const work of watched.works) work()
  }
}
