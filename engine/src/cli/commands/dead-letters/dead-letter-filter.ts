// Which dead letters are meant: the options, and what they are on the wire.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { priority } from "../../options/choices.ts"
import { momentOf } from "../../options/moments.ts"
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
    since: momentOf("--since", since),
    before: momentOf("--before", before),
  })
}
