// Schedules and their runs as tables.
import type { Style } from "./paint.ts"
import { type Canvas, type Fact, facts, table } from "./table.ts"
import { inZone, moment, relative } from "./times.ts"

export interface ScheduleAnswer {
  readonly id: string
  readonly cron: string
  readonly timezone: string
  readonly definitionId?: string
  readonly jobType?: string
  readonly input?: unknown
  readonly priority?: string
  readonly overlap: string
  readonly catchUp: string
  readonly enabled: boolean
  readonly lastFiredAt?: string
  readonly lastWorkId?: string
  readonly lastOutcome?: string
  readonly lastDetail?: string
  readonly nextAt?: string
  readonly upcoming?: readonly string[]
}

export interface RunAnswer {
  readonly dueAt: string
  readonly firedAt: string
  readonly cause: string
  readonly outcome: string
  readonly workId?: string
  readonly detail?: string
}

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

const targetOf = ({ definitionId, jobType }: ScheduleAnswer): string =>
  definitionId === undefined ? `job ${jobType}` : `workflow ${definitionId}`

export function drawSchedules({ items, nextCursor }: Page<ScheduleAnswer>, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["There are no schedules. `millrace schedules create --help` shows how to make one."]
  const now = Date.now()
  const rows = table<ScheduleAnswer>(
    [
      { title: "SCHEDULE", of: ({ id }) => id, style: () => "bold", cutTo: 16 },
      { title: "CRON", of: ({ cron }) => cron, cutTo: 12 },
      { title: "ZONE", of: ({ timezone }) => timezone, cutTo: 6, extra: true },
      { title: "STARTS", of: targetOf, cutTo: 12 },
      { title: "LAST", of: ({ lastFiredAt }) => relative(lastFiredAt, now) || "never", align: "right" },
      {
        title: "OUTCOME",
        of: ({ lastOutcome }) => lastOutcome,
        style: ({ lastOutcome = "" }) => OUTCOMES[lastOutcome],
        extra: true,
      },
      {
        title: "NEXT",
        of: (row) => nextOf(row, now),
        align: "right",
        style: ({ enabled }) => (enabled ? "green" : "yellow"),
      },
    ],
    items,
    canvas,
  )
  return nextCursor === undefined ? rows : [...rows, "… and more: raise --limit"]
}

const nextOf = ({ enabled, nextAt }: ScheduleAnswer, now: number): string =>
  enabled ? relative(nextAt, now) || "never again" : "disabled"

export function drawSchedule(row: ScheduleAnswer, canvas: Canvas): readonly string[] {
  const now = Date.now()
  const when = (at: string) => inZone(at, row.timezone, now)
  return facts(
    [
      ["Schedule", row.id],
      ["State", row.enabled ? "enabled" : "disabled", row.enabled ? "green" : "yellow"],
      ["Cron", `${row.cron} (${row.timezone})`],
      ["Starts", targetOf(row)],
      ["Input", row.input],
      ["Priority", row.priority],
      ["Overlap", row.overlap],
      ["Catch-up", row.catchUp],
      ["Last", row.lastFiredAt === undefined ? "never" : when(row.lastFiredAt)],
      ["Last work", row.lastWorkId],
      ["Outcome", outcomeOf(row), OUTCOMES[row.lastOutcome ?? ""]],
      ["Next", row.nextAt === undefined ? undefined : when(row.nextAt)],
      ...(row.upcoming ?? []).map((at, nth): Fact => [nth === 0 ? "Then" : "", when(at)]),
    ],
    canvas,
  )
}

const outcomeOf = ({ lastOutcome, lastDetail }: ScheduleAnswer): string | undefined =>
  lastDetail === undefined ? lastOutcome : `${lastOutcome}: ${lastDetail}`

const OUTCOMES: Readonly<Record<string, Style>> = { started: "green", queued: "cyan", skipped: "yellow", failed: "red" }

export function drawRuns({ items, nextCursor }: Page<RunAnswer>, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["It has not run yet."]
  const rows = table<RunAnswer>(
    [
      { title: "DUE", of: ({ dueAt }) => moment(dueAt) },
      { title: "CAUSE", of: ({ cause }) => cause, extra: true },
      { title: "OUTCOME", of: ({ outcome }) => outcome, style: ({ outcome }) => OUTCOMES[outcome] },
      { title: "WORK", of: ({ workId }) => workId },
      { title: "DETAIL", of: ({ detail }) => detail, cutTo: 10 },
    ],
    items,
    canvas,
  )
  return nextCursor === undefined ? rows : [...rows, "… and more: raise --limit"]
}
