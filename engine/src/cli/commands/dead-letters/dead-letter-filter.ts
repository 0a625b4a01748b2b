// Which dead letters are meant: the options, and what they are on the wire.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { parseDuration } from "../../../model/kernel/durations.ts"
import { calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { priority } from "../../options/choices.ts"
import { given } from "../../options/values.ts"

export interface FilterOptions {
  readonly type?: string
  readonly error?: string
  readonly priority?: wire.Priority
  readonly definition?: string
  readonly since?: string
  readonly before?: string
}

export const withFilter = (command: Command): Command =>
  command
    .option("--type <type>", "of this job type")
    .option("--error <fingerprint>", "of this error, as `dead-letters groups` shows it")
    .option("--priority <priority>", "critical, high or normal", priority)
    .option("--definition <id>", "steps of this definition")
    .option("--since <time>", "died after a time, or within 2h")
    .option("--before <time>", "died before a time, or longer ago than 2h")

export const filterOf = (options: FilterOptions): wire.DeadLetterFilter => {
  const { type, error, priority, definition, since, before } = options
  return given({
    type,
    error,
    priority,
    definition_id: definition,
    since: since === undefined ? undefined : momentOf("--since", since),
    before: before === undefined ? undefined : momentOf("--before", before),
  })
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

/** A duration means that long ago. */
function momentOf(option: string, text: string): string {
  const ms = parseDuration(text)
  if (ms !== undefined) return new Date(Date.now() - ms).toISOString()
  if (TIME.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw calledWrongly(
    `${option} ${cellText(text)}: must be a time such as 2026-11-15T09:00:00Z, or a duration such as 2h`,
  )
}
