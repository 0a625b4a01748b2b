// Which errors the dead letters died of: like ones together, however many they are.
import {
  type DeadGroupNote,
  type DeadGroupRow,
  type DeadSource,
  describeDeadGroups,
  listDeadGroups,
} from "../../store/dead-letters/dead-letters.ts"
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
  /** What died of it most often, up to five. Absent, as what follows, in a group that has begun just now. */
  readonly sources?: readonly DeadSourceView[]
  /** How many there are of them. */
  readonly sourceCount?: number
  /** How many died of it in each of the spans of `period`. */
  readonly overTime?: readonly number[]
}

export interface DeadSourceView {
  /** Absent for standalone jobs. */
  readonly definitionId?: string
  readonly type: string
  readonly count: number
}

export interface DeadGroups {
  readonly items: readonly DeadGroupView[]
  /** False where there are so many entries that errors of older ones alone may be missing. */
  readonly isComplete: boolean
  /** From the oldest entry that was looked at until now, or until the end of the range; absent without entries. */
  readonly period?: Period
}

interface Period {
  readonly since: string
  readonly until: string
}

/** Enough to see whether it goes on, and how it began. */
const SPANS = 30
const SOURCES_MAX = 5
const GROUPS_MAX = 100
const LOOKED_AT = 10_000
const COUNTED_TO = 10_000

/** The errors among the newest entries, the most frequent first: what it costs does not grow with the number of entries. */
export async function groupDeadLetters(
  kernel: Kernel,
  range: Pick<DeadLetterQuery, "since" | "before">,
): Promise<DeadGroups> {
  const filter = deadFilterOf(range)
  const until = range.before === undefined ? null : range.before / 1_000
  const [rows, notes] = await Promise.all([
    listDeadGroups(kernel.db, filter, BOUNDS),
    describeDeadGroups(kernel.db, filter, { ...BOUNDS, until }),
  ])
  const noteOf = new Map(notes.map((note) => [note.failure, note]))
  const [note] = notes
  return {
    items: rows.slice(0, GROUPS_MAX).map((row) => viewOfGroup(row, noteOf.get(row.failure))),
    isComplete: rows.length <= GROUPS_MAX && (rows[0]?.seen ?? 0) < LOOKED_AT,
    ...(note && { period: { since: isoTime(Math.round(note.since)), until: isoTime(Math.round(note.until)) } }),
  }
}

const BOUNDS = {
  entries: LOOKED_AT,
  groups: GROUPS_MAX + 1,
  countedTo: COUNTED_TO + 1,
  sources: SOURCES_MAX,
  spans: SPANS,
}

const viewOfGroup = (
  { failure, error, total, first_at, last_at }: DeadGroupRow,
  note: DeadGroupNote | undefined,
): DeadGroupView => ({
  fingerprint: failure,
  error,
  count: Math.min(total, COUNTED_TO),
  countIsExact: total <= COUNTED_TO,
  firstAt: isoTime(first_at),
  lastAt: isoTime(last_at),
  ...(note && viewOfNote(note)),
})

const viewOfNote = ({ sources, total, spans }: DeadGroupNote) => ({
  sources: sources.map(viewOfSource),
  sourceCount: total,
  overTime: Array.from({ length: SPANS }, (_, span) => spans[span] ?? 0),
})

const viewOfSource = ({ definitionId, type, count }: DeadSource): DeadSourceView => ({
  ...(definitionId === null ? {} : { definitionId }),
  type,
  count,
})
