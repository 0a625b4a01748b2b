// Jobs as a table: those that have not ended, or standalone ones that have.
import type { wire } from "@millrace/sdk"
import { statusStyle } from "./status-styles.ts"
import { type Canvas, table } from "./table.ts"
import { relative } from "./times.ts"

type Row = wire.LiveJob | wire.EndedJob

export interface JobRows {
  readonly items: readonly Row[]
  /** There may be more of them than were asked for. */
  readonly more: boolean
}

/** With what is paused: jobs that are ready may be held back by it. */
type ShownJobs = JobRows & { readonly pauses?: readonly wire.Pause[] }

export function drawJobs({ items, more, pauses = [] }: ShownJobs, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["There are no such jobs."]
  const now = Date.now()
  const rows = table<Row>(
    [
      { title: "ID", of: ({ id }) => id },
      { title: "TYPE", of: ({ jobType }) => jobType, style: () => "bold", cutTo: 12 },
      { title: "STATUS", of: ({ status }) => status, style: ({ status }) => statusStyle(status.toUpperCase()) },
      { title: "KEY", of: keyOf, cutTo: 8, ifAny: true },
      { title: "CREATED", of: ({ createdAt }) => relative(createdAt, now), align: "right" },
      { title: "TRIES", of: triesOf, align: "right", extra: true },
      { title: "PRIORITY", of: ({ priority }) => priority, extra: true },
      { title: "NOTE", of: (row) => noteOf(row, now) || pauseOf(row, pauses), cutTo: 12, extra: true },
    ],
    items,
    canvas,
  )
  return more ? [...rows, "… and more: raise --limit, or narrow it with --status, --type or --key"] : rows
}

const keyOf = (row: Row): string | undefined => row.key ?? ("attempt" in row ? row.businessKey : undefined)

const triesOf = (row: Row): number => ("attempt" in row ? row.attempt : row.attempts)

/** A pause of a downstream is not seen here: the list does not say what a job calls. */
function pauseOf(row: Row, pauses: readonly wire.Pause[]): string {
  if (row.status !== "ready" || !("attempt" in row)) return ""
  const names = { queue: row.priority, jobType: row.jobType, definition: row.definitionId, downstream: undefined }
  const pause = pauses.find(({ kind, name }) => names[kind] === name)
  if (pause === undefined) return ""
  return pause.reason === undefined ? "paused" : `paused: ${pause.reason}`
}

/** Why it failed, when it is due, or who has it. */
function noteOf(row: Row, now: number): string {
  if ("endedAt" in row) return row.error ?? `ended ${relative(row.endedAt, now)}`
  if (row.status === "delayed") return `due ${relative(row.visibleAt, now)}`
  return row.workerId ?? ""
}
