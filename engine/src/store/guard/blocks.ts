// Typed access to what operators have blocked, and to the list of all blocks.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"

const sql = statements(import.meta.url, "blocks", [
  "upsertBlock",
  "deleteBlock",
  "findBlock",
  "readBlocks",
  "listBlocks",
  "pruneBlocks",
])

/** What is refused until it is lifted. */
export interface BlockName {
  readonly kind: "address" | "agent"
  readonly value: string
}

interface BlockTimes {
  readonly reason: string
  readonly blocked_at: number
}

export interface BlockRow extends BlockName, BlockTimes, Record<string, unknown> {
  readonly blocked_by: string
  readonly blocked_until: number | null
}

export interface NewBlock extends BlockName {
  readonly id: string
  readonly reason: string
  readonly actor: string
  readonly at: number
  readonly until: number | undefined
}

export const upsertBlock = (tx: Transaction, { at, until, ...block }: NewBlock): void =>
  tx.write(sql.upsertBlock, {
    ...block,
    at: timestamp(at),
    until: until === undefined ? null : timestamp(until),
  })

/** Whether there was one. */
export async function deleteBlock(tx: Transaction, { kind, value }: BlockName): Promise<boolean> {
  const rows = await tx.read(sql.deleteBlock, { kind, value })
  return rows.length > 0
}

/** Finds the block if it is in force. */
export async function findBlock(db: Reader, { kind, value }: BlockName): Promise<BlockRow | undefined> {
  const [row] = await db.read<BlockRow>(sql.findBlock, { kind, value })
  return row
}

/** The blocks in force that come after the given one, in their order. */
export const readBlocks = (
  db: Database,
  after: BlockName | undefined,
  limit: number,
): Promise<(BlockName & Record<string, unknown>)[]> =>
  db.query(sql.readBlocks, { afterKind: after?.kind ?? "", afterValue: after?.value ?? "", limit })

export interface ListedBlockRow extends BlockTimes, Record<string, unknown> {
  readonly id: string
  readonly degree: "hard" | "soft"
  readonly kind: "address" | "agent" | "subject"
  readonly value: string
  readonly rule: string | null
  readonly blocked_by: string | null
  readonly blocked_until: number | null
}

/** Newest first, with ids before this one. */
export const listBlocks = (db: Database, before: string, limit: number): Promise<ListedBlockRow[]> =>
  db.query(sql.listBlocks, { before, limit })

/** Forgets what is over, and of soft blocks all but the newest. */
export async function pruneBlocks(db: Database, mostSoft: number): Promise<void> {
  await db.query(sql.pruneBlocks, { most: mostSoft })
}
