// Which errors the dead letters died of: like ones together, however many they are.
import { type DeadGroupRow, listDeadGroups } from "../../store/dead-letters/dead-letters.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { type DeadLetterQuery, deadFilterOf } from "./read-dead-letters.ts"

export interface DeadGroupView {
  readonly fingerprint: string
  /** The newest of them. */
  readonly error: string
  readonly count: number
  readonly countIsExact: boolean
  readonly firstAt: string
  readonly lastAt: string
}

export interface DeadGroups {
  readonly items: readonly DeadGroupView[]
  /** False where there are so many entries that errors of older ones alone may be missing. */
  readonly isComplete: boolean
}

const GROUPS_MAX = 100
const LOOKED_AT = 10_000
const COUNTED_TO = 10_000

/** The errors among the newest entries, the most frequent first: what it costs does not grow with the number of entries. */
export async function groupDeadLetters(
  kernel: Kernel,
  range: Pick<DeadLetterQuery, "since" | "before">,
): Promise<DeadGroups> {
  const bounds = { entries: LOOKED_AT, groups: GROUPS_MAX + 1, countedTo: COUNTED_TO + 1 }
  const rows = await listDeadGroups(kernel.db, deadFilterOf(range), bounds)
  const isComplete = rows.length <= GROUPS_MAX && (rows[0]?.seen ?? 0) < LOOKED_AT
  return { items: rows.slice(0, GROUPS_MAX).map(viewOfGroup), isComplete }
}

const viewOfGroup = ({ failure, error, total, first_at, last_at }: DeadGroupRow): DeadGroupView => ({
  fingerprint: failure,
  error,
  count: Math.min(total, COUNTED_TO),
  countIsExact: total <= COUNTED_TO,
  firstAt: isoTime(first_at),
  lastAt: isoTime(last_at),
})
