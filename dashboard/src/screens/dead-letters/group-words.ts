// What a group of dead letters is about, in words: which definitions and job types, and whether it goes on.
import type { wire } from "@millrace/sdk"
import type { DeadGroup } from "../../api/dead-letters.ts"
import { count } from "../../kit/numbers.ts"

type Source = wire.DeadLetterSource

/** The most frequent first. A list or a function is a definition whose only job type has its name. */
const nameOf = ({ definition_id, type }: Source): string =>
  definition_id === undefined || definition_id === type ? type : `${definition_id} ${type}`

export function sourcesText({ sources = [], source_count = sources.length }: Partial<DeadGroup>): string {
  const named = sources.map((source) =>
    sources.length === 1 ? nameOf(source) : `${nameOf(source)} ${count(source.count)}`,
  )
  const others = source_count - sources.length
  return [...named, ...(others > 0 ? [`${count(others)} more`] : [])].join(" · ")
}

/** For those who do not see the line. */
export function overTimeText(overTime: readonly number[]): string {
  const latest = overTime.slice(-LATEST).reduce((sum, one) => sum + one, 0)
  return latest === 0 ? "none of late" : `${count(latest)} of late`
}

/** The last tenth of the time. */
const LATEST = 3
