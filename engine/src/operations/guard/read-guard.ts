// What operators read of the guard: blocks in force, what shadow mode would have refused, and requests by verdict.
import { type ListedBlockRow, listBlocks as listBlockRows } from "../../store/guard/blocks.ts"
import { countShadowed, listShadowed, readTraffic as readTrafficRows, type ShadowRow } from "../../store/guard/notes.ts"
import { isoTime } from "../../support/iso-time.ts"
import { cutPage, parseUlid, readCursor } from "../kernel/cursor.ts"
import type { Kernel } from "../kernel/kernel.ts"

interface PageRequest {
  readonly cursor: string | undefined
  readonly pageSize: number
}

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

/** Later than every id there is. */
const NEWEST = "Z".repeat(26)
const placeOf = (cursor: string | undefined): string => (cursor === undefined ? NEWEST : readCursor(cursor, parseUlid))

export interface BlockView {
  readonly degree: "hard" | "soft"
  readonly kind: "address" | "agent" | "subject"
  readonly value: string
  readonly reason: string
  readonly rule?: string
  /** Absent where the rule itself has done it. */
  readonly blockedBy?: string
  readonly blockedAt: string
  /** Absent where it stands until it is lifted. */
  readonly blockedUntil?: string
}

/** Newest first: those of operators, and those that the rules have made by themselves. */
export async function listBlocks(kernel: Kernel, { cursor, pageSize }: PageRequest): Promise<Page<BlockView>> {
  const rows = await listBlockRows(kernel.db, placeOf(cursor), pageSize + 1)
  const { shown, next } = cutPage(rows, pageSize, ({ id }) => id)
  return { items: shown.map(viewOfBlock), ...next }
}

const viewOfBlock = ({ degree, kind, value, reason, ...row }: ListedBlockRow): BlockView => ({
  degree,
  kind,
  value,
  reason,
  ...(row.rule === null ? {} : { rule: row.rule }),
  ...(row.blocked_by === null ? {} : { blockedBy: row.blocked_by }),
  blockedAt: isoTime(row.blocked_at),
  ...(row.blocked_until === null ? {} : { blockedUntil: isoTime(row.blocked_until) }),
})

interface ShadowStats {
  readonly total: number
  readonly byRule: Readonly<Record<string, number>>
}

/** Counts the last 24 hours. */
export async function readShadowStats(kernel: Kernel): Promise<ShadowStats> {
  const rows = await countShadowed(kernel.db)
  return {
    total: rows.reduce((sum, { times }) => sum + times, 0),
    byRule: Object.fromEntries(rows.map(({ rule, times }) => [rule, times])),
  }
}

export interface ShadowedView {
  readonly hour: string
  readonly rule: string
  readonly client: string
  readonly path: string
  readonly count: number
  readonly lastAt: string
  readonly lastRequestId: string
  readonly lastReason: string
}

interface ReportRequest extends PageRequest {
  readonly rule: string | undefined
  readonly client: string | undefined
}

/** Covers the last 24 hours, by rule, client, path and hour, newest first. */
export async function readShadowReport(kernel: Kernel, asked: ReportRequest): Promise<Page<ShadowedView>> {
  const { cursor, pageSize, rule = null, client = null } = asked
  const rows = await listShadowed(kernel.db, { before: placeOf(cursor), rule, client, limit: pageSize + 1 })
  const { shown, next } = cutPage(rows, pageSize, ({ id }) => id)
  return { items: shown.map(viewOfShadowed), ...next }
}

const viewOfShadowed = (row: ShadowRow): ShadowedView => ({
  hour: isoTime(row.hour),
  rule: row.rule,
  client: row.client,
  path: row.path,
  count: row.times,
  lastAt: isoTime(row.last_at),
  lastRequestId: row.last_request_id,
  lastReason: row.last_reason,
})

export interface TrafficPoint {
  readonly at: string
  readonly allowed: number
  readonly throttled: number
  readonly softBlocked: number
  readonly hardBlocked: number
  readonly shadowed: number
}

/** Ten seconds a point; those without a request are left out. */
export const readTraffic = async (kernel: Kernel, windowSeconds: number): Promise<readonly TrafficPoint[]> =>
  (await readTrafficRows(kernel.db, windowSeconds)).map((row) => ({
    at: isoTime(row.at),
    allowed: row.allowed,
    throttled: row.throttled,
    softBlocked: row.soft_blocked,
    hardBlocked: row.hard_blocked,
    shadowed: row.shadowed,
  }))
