// Schedules and their runs as tables.
import type { wire } from "@millrace/sdk"
import type { Style } from "./paint.ts"
import { type Canvas, type Fact, facts, table } from "./table.ts"
import { inZone, moment, relative } from "./times.ts"

const targetOf = ({ definitionId, jobType }: wire.Schedule): string =>
  definitionId === undefined ? `job ${jobType}` : `workflow ${definitionId}`

export function drawSchedules({ items, nextCursor }: wire.SchedulePage, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["There are no schedules. `millrace schedules create --help` shows how to make one."]
  const now = Date.now()
  const rows = table<wire.Schedule>(
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

const nextOf = ({ enabled, nextAt }: wire.Schedule, now: number): string =>
  enabled ? relative(nextAt, now) || "never again" : "disabled"

export function drawSchedule(row: wire.Schedule, canvas: Canvas): readonly string[] {
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
      ...row.upcoming.map((at, nth): Fact => [nth === 0 ? "Then" : "", when(at)]),
    ],
    canvas,
  )
}

const outcomeOf = ({ lastOutcome, lastDetail }: wire.Schedule): string | undefined =>
  lastDetail === undefined ? lastOutcome : `${lastOutcome}: ${lastDetail}`

const OUTCOMES: Readonly<Record<string, Style>> = { started: "green", queued: "cyan", skipped: "yellow", failed: "red" }

export function drawRuns({ items, nextCursor }: wire.ScheduleRunPage, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["It has not run yet."]
  const rows = table<wire.ScheduleRun>(
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
