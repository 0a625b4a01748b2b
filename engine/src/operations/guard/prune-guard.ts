// Housekeeping of the guard: what is over, what is older than a day, and of what callers can make many of all but the newest.
import { pruneBlocks } from "../../store/guard/blocks.ts"
import { pruneNotes } from "../../store/guard/notes.ts"
import type { Kernel } from "../kernel/kernel.ts"

const MOST_ROWS = 100_000

export async function pruneGuard({ db }: Pick<Kernel, "db">): Promise<void> {
  await pruneBlocks(db, MOST_ROWS)
  await pruneNotes(db, MOST_ROWS)
}
