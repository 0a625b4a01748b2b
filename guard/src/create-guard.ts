// Puts the guard together: the rules' state, the loops that keep it fresh, and what operators do to it.
import { Acting } from "./acting.ts"
import { CredentialFailures } from "./credential-failures.ts"
import { explain } from "./explaining.ts"
import type { GuardCounts, RunningGuard } from "./guard.ts"
import { comparedValue, HardBlocks } from "./hard-blocks.ts"
import { Holding } from "./holding.ts"
import { Judging } from "./judging.ts"
import { ipSubject, pardonedKeys } from "./keys.ts"
import type { Blocked, ShadowEvent, ShadowSettings, SoftBlock } from "./ledger.ts"
import { NoteQueue } from "./note-queue.ts"
import { type GuardOptions, type Settings, settingsOf } from "./options.ts"
import { Shadow } from "./shadow.ts"
import { SoftBlocks } from "./soft-blocks.ts"
import { after } from "./stores/awaitable.ts"
import { ALLOWED } from "./verdict.ts"
import type { FailedCredential, KnownVisit, Visit } from "./visit.ts"

export const createGuard = (options: GuardOptions = {}): RunningGuard => new AssembledGuard(settingsOf(options))

class AssembledGuard implements RunningGuard {
  readonly #settings: Settings
  readonly #shadow: Shadow
  readonly #hardBlocks: HardBlocks
  readonly #softBlocks: SoftBlocks
  readonly #failures: CredentialFailures
  readonly #judging: Judging
  readonly #holding: Holding
  readonly #events: NoteQueue<ShadowEvent>
  readonly #blocksMade: NoteQueue<SoftBlock>
  readonly #cancels = new Map<string, () => void>()
  #cursor: string | undefined
  /** How often shadow was switched in this process. */
  #switches = 0
  #isClosed = false

  constructor(settings: Settings) {
    const { clock, ledger, observer, store, random } = settings
    const time = { nowMs: () => clock.nowMs(), date: () => clock.date() }
    const dropped = (count: number) => observer.notesDropped?.(count)
    this.#settings = settings
    this.#events = new NoteQueue({ write: (events) => ledger.noteShadowEvents(events), dropped, clock })
    this.#blocksMade = new NoteQueue({ write: (blocks) => ledger.noteSoftBlocks(blocks), dropped, clock })
    this.#shadow = new Shadow({ fallback: settings.shadow, note: (event) => this.#noteEvent(event), date: time.date })
    this.#hardBlocks = new HardBlocks({ ledger, observer, filter: settings.filter, ...time })
    this.#softBlocks = new SoftBlocks({ store, note: (block) => this.#blocksMade.add(block), ...time })
    this.#holding = new Holding(clock, random)
    const acting = new Acting(this.#shadow, observer)
    const parts = { settings, acting, shadow: this.#shadow, softBlocks: this.#softBlocks, hardBlocks: this.#hardBlocks }
    this.#failures = new CredentialFailures(parts)
    this.#judging = new Judging(parts)
  }

  #noteEvent(event: ShadowEvent): void {
    this.#settings.observer.wouldAct?.(event)
    this.#events.add(event)
  }

  beforeAll(visit: Visit) {
    if (!this.#settings.blocksFirst || visit.routeClass === "health" || visit.liftsBlocks) return ALLOWED
    return after(this.#judging.hardBlocked(visit), (action) => action ?? ALLOWED)
  }

  beforeCredential(visit: Visit, user?: string) {
    if (visit.routeClass === "health") return ALLOWED
    return after(this.beforeAll(visit), (verdict) =>
      verdict.state === "allowed" ? after(this.#failures.before(visit, user), (action) => action ?? ALLOWED) : verdict,
    )
  }

  judge(visit: KnownVisit) {
    return this.#judging.judge(visit)
  }

  credentialFailed(visit: Visit, failed: FailedCredential) {
    return after(this.#failures.failed(visit, failed), (action) => action ?? ALLOWED)
  }

  signedIn(visit: Visit, user?: string) {
    return after(this.#failures.signedIn(visit, user), (action) => action ?? ALLOWED)
  }

  isOwners(visit: Visit, user: string) {
    return this.#failures.isOwners(visit, user)
  }

  hold(delayMs: number, gone?: AbortSignal) {
    return this.#holding.hold(delayMs, gone)
  }

  retryAfterSeconds(delayMs: number) {
    return this.#holding.retryAfterSeconds(delayMs)
  }

  async start(): Promise<void> {
    await this.rebuild()
    await this.refresh()
    this.#repeat("rebuild", this.#settings.rebuildMs, () => this.rebuild())
    if (this.#settings.refreshMs > 0) this.#repeat("refresh", this.#settings.refreshMs, () => this.refresh())
  }

  /** The next run is set when the last is over: a slow ledger is not asked twice at once. */
  #repeat(name: string, everyMs: number, run: () => Promise<void>): void {
    if (this.#isClosed) return
    const again = () => this.#repeat(name, everyMs, run)
    this.#cancels.set(
      name,
      this.#settings.clock.after(everyMs, () => void run().then(again)),
    )
  }

  async rebuild(): Promise<void> {
    await this.#trying("the filters could not be made anew", () => this.#hardBlocks.rebuild())
  }

  async refresh(): Promise<void> {
    await this.#trying("what has changed could not be read", async () => {
      const switches = this.#switches
      const { cursor, shadow, blocks, softBlocks, pardons } = await this.#settings.ledger.changesSince(this.#cursor)
      this.#cursor = cursor
      // What was read before the switch was turned here is older than the switch.
      if (switches === this.#switches) this.#shadow.use(shadow)
      for (const blocked of blocks) this.#hardBlocks.changed(blocked)
      for (const block of softBlocks) await this.#learn(block)
      for (const subject of pardons) await this.#forget(subject)
    })
  }

  async #learn({ rule, subject, reason, until }: SoftBlock): Promise<void> {
    const forMs = until.getTime() - this.#settings.clock.date().getTime()
    if (forMs > 0) await this.#softBlocks.learnShared({ rule, subject, reason, forMs })
  }

  async #trying(what: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#settings.observer.ledgerFailed?.(what, error)
    }
  }

  async block({ kind, value, ...rest }: Parameters<RunningGuard["block"]>[0]): Promise<void> {
    const blocked = { kind, value: comparedValue(kind, value) }
    await this.#settings.ledger.addBlock({ ...blocked, ...rest, at: this.#settings.clock.date() })
    this.#hardBlocks.changed(blocked)
  }

  async unblock({ kind, value }: Blocked, by: string): Promise<boolean> {
    const blocked = { kind, value: comparedValue(kind, value) }
    const wasBlocked = await this.#settings.ledger.removeBlock(blocked, by)
    this.#hardBlocks.changed(blocked)
    return wasBlocked
  }

  async softBlock(address: string, block: Parameters<RunningGuard["softBlock"]>[1]): Promise<void> {
    await this.#softBlocks.make({ space: "live", rule: "blocked-address", subject: ipSubject(address), ...block })
    await this.#blocksMade.flush()
  }

  async forgive(subject: string, by: string): Promise<boolean> {
    const { softBlocks } = await this.why(subject)
    await this.#settings.ledger.pardon(subject, by)
    await this.#forget(subject)
    return softBlocks.some(({ space }) => space === "live")
  }

  async #forget(subject: string): Promise<void> {
    const keys = pardonedKeys(subject)
    this.#softBlocks.forget(keys)
    this.#failures.forget(keys)
    await this.#settings.store.forget(keys)
  }

  async setShadow(settings: ShadowSettings, by: string): Promise<void> {
    await this.#settings.ledger.setShadow(settings, by)
    this.#switches++
    this.#shadow.use(settings)
  }

  why(subject: string) {
    return explain(subject, { settings: this.#settings, hardBlocks: this.#hardBlocks, shadow: this.#shadow })
  }

  get shadow(): ShadowSettings {
    return this.#shadow.settings
  }

  get counts(): GuardCounts {
    return { ...this.#hardBlocks.counts, store: this.#settings.store.state, held: this.#holding.held }
  }

  async flush(): Promise<void> {
    await Promise.all([this.#events.flush(), this.#blocksMade.flush()])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const cancel of this.#cancels.values()) cancel()
    await Promise.all([this.#events.close(), this.#blocksMade.close()])
    await this.#settings.store.close()
  }
}
