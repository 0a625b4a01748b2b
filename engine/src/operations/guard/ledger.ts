// What the guard keeps for good, in PostgreSQL: blocks, pardons and shadow mode by operators, and notes of what it did.
import type {
  Block,
  Blocked,
  Ledger,
  LedgerChanges,
  Rule,
  ShadowEvent,
  ShadowSettings,
  SoftBlock,
} from "@millrace/guard"
import type { Database } from "../../db/database.ts"
import { type BlockRow, findBlock, readBlocks } from "../../store/guard/blocks.ts"
import { readOperatorBlocks, type SoftBlockRow, upsertSoftBlocks } from "../../store/guard/soft-blocks.ts"
import { type GuardChangeRow, readGuardChanges, readState } from "../../store/guard/state.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { block, pardon, softBlock, unblock } from "./change-blocks.ts"
import { replaceShadow, shadowOf } from "./change-shadow.ts"
import { type GuardNotes, guardNotesOf } from "./notes.ts"

const BLOCKS_AT_ONCE = 5_000
const CHANGES_AT_ONCE = 1_000

export class GuardLedger implements Ledger {
  readonly #kernel: Kernel
  /** Requests must not wait for it while all other connections are busy. */
  readonly #db: Database
  readonly #notes: GuardNotes

  constructor(kernel: Kernel) {
    this.#kernel = kernel
    this.#db = kernel.db.aside
    this.#notes = guardNotesOf(kernel)
  }

  async *blocks(): AsyncIterable<Blocked> {
    let last: Blocked | undefined
    do {
      const rows = await readBlocks(this.#db, last, BLOCKS_AT_ONCE)
      yield* rows
      last = rows.length === BLOCKS_AT_ONCE ? rows.at(-1) : undefined
    } while (last)
  }

  async findBlock(blocked: Blocked): Promise<Block | undefined> {
    const row = await findBlock(this.#db, blocked)
    return row && asBlock(row)
  }

  async addBlock({ kind, value, reason, by, at, until }: Block): Promise<void> {
    const forMs = until && until.getTime() - at.getTime()
    await block(this.#kernel, { actor: by }, { kind, value, reason, forMs })
  }

  async removeBlock(blocked: Blocked, by: string): Promise<boolean> {
    return (await unblock(this.#kernel, { actor: by }, blocked)).outcome.wasBlocked
  }

  async setShadow({ all, rules }: ShadowSettings, by: string): Promise<void> {
    await replaceShadow(this.#kernel, { actor: by }, { all, rules: { ...rules } as Record<string, boolean> })
  }

  async pardon(subject: string, by: string): Promise<void> {
    await pardon(this.#kernel, { actor: by }, subject)
  }

  async changesSince(cursor: string | undefined): Promise<LedgerChanges> {
    const state = await readState(this.#db)
    const shadow = shadowOf(state) as ShadowSettings | undefined
    if (cursor === undefined) {
      // A process that has just begun has none of the soft blocks in memory.
      const softBlocks = (await readOperatorBlocks(this.#db)).map(asSoftBlock)
      return { cursor: String(state.version), shadow, blocks: [], softBlocks, pardons: [] }
    }
    const changes = await this.#changesAfter(Number(cursor))
    const isAny = (act: GuardChangeRow["act"]) => changes.some((change) => change.act === act)
    return {
      cursor: String(changes.at(-1)?.version ?? state.version),
      shadow,
      blocks: changes.flatMap(asBlocked),
      softBlocks: isAny("soft-block") ? (await readOperatorBlocks(this.#db)).map(asSoftBlock) : [],
      pardons: changes.flatMap(({ act, value }) => (act === "pardon" ? [value] : [])),
    }
  }

  async #changesAfter(version: number): Promise<GuardChangeRow[]> {
    const changes: GuardChangeRow[] = []
    for (;;) {
      const page = await readGuardChanges(this.#db, changes.at(-1)?.version ?? version, CHANGES_AT_ONCE)
      changes.push(...page)
      if (page.length < CHANGES_AT_ONCE) return changes
    }
  }

  /** Kept in memory for a second: a flood of them becomes a few rows. */
  async noteShadowEvents(events: readonly ShadowEvent[]): Promise<void> {
    for (const event of events) this.#notes.addShadowed(event)
  }

  async noteSoftBlocks(blocks: readonly SoftBlock[]): Promise<void> {
    const { newId } = this.#kernel
    const byRules = blocks.filter(({ by }) => by === undefined)
    if (byRules.length > 0)
      await upsertSoftBlocks(
        this.#db,
        byRules.map((made) => softBlockRow(newId(), made)),
      )
    for (const { by, subject, rule, reason, at, until } of blocks)
      if (by !== undefined) {
        const forMs = until.getTime() - at.getTime()
        await softBlock(this.#kernel, { actor: by }, { subject, rule, reason, forMs })
      }
  }
}

const asBlock = ({ kind, value, reason, blocked_by, blocked_at, blocked_until }: BlockRow): Block => ({
  kind,
  value,
  reason,
  by: blocked_by,
  at: new Date(blocked_at),
  ...(blocked_until === null ? {} : { until: new Date(blocked_until) }),
})

const asSoftBlock = ({ subject, rule, reason, blocked_by, blocked_at, blocked_until }: SoftBlockRow): SoftBlock => ({
  subject,
  rule: rule as Rule,
  reason,
  by: blocked_by ?? undefined,
  at: new Date(blocked_at),
  until: new Date(blocked_until),
})

const asBlocked = ({ act, kind, value }: GuardChangeRow): Blocked[] =>
  act === "block" || act === "unblock" ? [{ kind: kind as Blocked["kind"], value }] : []

const softBlockRow = (id: string, { subject, rule, reason, at, until }: SoftBlock) => ({
  id,
  subject,
  rule,
  reason,
  actor: undefined,
  at: at.getTime(),
  until: until.getTime(),
})
