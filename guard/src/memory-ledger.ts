// A ledger in this process: for tests, and for a guard without a database. It is empty again after a restart.
import type { Block, Blocked, Ledger, LedgerChanges, ShadowEvent, ShadowSettings, SoftBlock } from "./ledger.ts"

const MOST_NOTES = 10_000

const idOf = ({ kind, value }: Blocked): string => `${kind}:${value}`

export class MemoryLedger implements Ledger {
  readonly #blocks = new Map<string, Block>()
  readonly #changes: { blocked?: Blocked; softBlock?: SoftBlock; pardon?: string }[] = []
  readonly #now: () => Date
  #shadow: ShadowSettings | undefined
  /** The newest last, at most ten thousand of each. */
  readonly shadowEvents: ShadowEvent[] = []
  readonly softBlocks: SoftBlock[] = []

  constructor(now: () => Date = () => new Date()) {
    this.#now = now
  }

  async *blocks(): AsyncIterable<Blocked> {
    yield* [...this.#blocks.values()].filter((block) => this.#isLive(block))
  }

  async findBlock(blocked: Blocked): Promise<Block | undefined> {
    const block = this.#blocks.get(idOf(blocked))
    return block && this.#isLive(block) ? block : undefined
  }

  #isLive({ until }: Block): boolean {
    return until === undefined || until > this.#now()
  }

  async addBlock(block: Block): Promise<void> {
    this.#blocks.set(idOf(block), block)
    this.#changes.push({ blocked: { kind: block.kind, value: block.value } })
  }

  async removeBlock(blocked: Blocked): Promise<boolean> {
    this.#changes.push({ blocked })
    return this.#blocks.delete(idOf(blocked))
  }

  async setShadow(settings: ShadowSettings): Promise<void> {
    this.#shadow = settings
  }

  async pardon(subject: string): Promise<void> {
    this.#changes.push({ pardon: subject })
  }

  async changesSince(cursor: string | undefined): Promise<LedgerChanges> {
    const since = cursor === undefined ? [] : this.#changes.slice(Number(cursor))
    return {
      cursor: String(this.#changes.length),
      shadow: this.#shadow,
      blocks: since.flatMap(({ blocked }) => blocked ?? []),
      softBlocks: since.flatMap(({ softBlock }) => softBlock ?? []),
      pardons: since.flatMap(({ pardon }) => pardon ?? []),
    }
  }

  async noteShadowEvents(events: readonly ShadowEvent[]): Promise<void> {
    this.shadowEvents.push(...events)
    this.shadowEvents.splice(0, this.shadowEvents.length - MOST_NOTES)
  }

  async noteSoftBlocks(blocks: readonly SoftBlock[]): Promise<void> {
    this.softBlocks.push(...blocks)
    this.softBlocks.splice(0, this.softBlocks.length - MOST_NOTES)
    for (const softBlock of blocks) if (softBlock.by !== undefined) this.#changes.push({ softBlock })
  }
}
