// Which dead letters are meant: the options, and what they are on the wire.
import type { Command } from "commander"
import { parseDuration } from "../../model/kernel/durations.ts"
import { calledWrongly } from "../command-error.ts"
import { cellText } from "../drawing/cell-text.ts"
import { oneOf } from "./group.ts"

export interface DeadLetterFilter {
  readonly type?: string
  readonly error?: string
  readonly priority?: string
  readonly definition?: string
  readonly since?: string
  readonly before?: string
}

export const withFilter = (command: Command): Command =>
  command
    .option("--type <type>", "of this job type")
    .option("--error <fingerprint>", "of this error, as `dlq groups` shows it")
    .option("--priority <lane>", "of this lane", oneOf("critical", "high", "normal"))
    .option("--definition <id>", "steps of this definition")
    .option("--since <time>", "died after a time, or within 2h")
    .option("--before <time>", "died before a time, or longer ago than 2h")

export const filterOf = ({ type, error, priority, definition, since, before }: DeadLetterFilter) => ({
  type,
  error,
  priority,
  definition_id: definition,
  since: since === undefined ? undefined : momentOf("--since", since),
  before: before === undefined ? undefined : momentOf("--before", before),
})

export type WireFilter = ReturnType<typeof filterOf>

export const isEmpty = (filter: WireFilter): boolean => Object.values(filter).every((value) => value === undefined)

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

/** A duration is so long ago. */
function momentOf(option: string, text: string): string {
  const ms = parseDuration(text)
  if (ms !== undefined) return new Date(Date.now() - ms).toISOString()
  if (TIME.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw calledWrongly(
    `${option} ${cellText(text)}: must be a time such as 2026-11-15T09:00:00Z, or a duration such as 2h`,
  )
}
