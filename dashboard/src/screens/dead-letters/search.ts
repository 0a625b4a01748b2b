// What the address of the dead letters says: how they are looked at, which of them, which one is open, and a bulk operation that is followed.
import type { DeadLetterFilter } from "../../api/filters/dead-letter-filter.ts"
import { timeRange } from "../../api/filters/time-range.ts"
import { PRIORITIES, type Priority } from "../../api/overview.ts"
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"

export const VIEWS = ["errors", "list"] as const
export type View = (typeof VIEWS)[number]

export interface DeadLetterSearch {
  readonly view?: View
  readonly type?: string
  readonly priority?: Priority
  readonly definitionId?: string
  /** Fingerprint of the error. */
  readonly failure?: string
  /** A range that moves with the clock; absent where one of the moments is set. */
  readonly died?: string
  readonly since?: string
  readonly before?: string
  readonly cursor?: string
  /** By its id, or by that of its standalone job. */
  readonly letter?: string
  readonly bulk?: string
}

/** Which of them, without how they are looked at. */
export const readDeadLetterFilter = (search: RawSearch) => ({
  type: text(search, "type"),
  priority: oneOf(search, "priority", PRIORITIES),
  definitionId: text(search, "definitionId"),
  failure: text(search, "failure"),
  died: (text(search, "since") ?? text(search, "before")) === undefined ? timeRange(search, "died") : undefined,
  since: text(search, "since"),
  before: text(search, "before"),
})

export const readDeadLetterSearch = (search: RawSearch): DeadLetterSearch => ({
  view: oneOf(search, "view", VIEWS),
  ...readDeadLetterFilter(search),
  cursor: text(search, "cursor"),
  letter: text(search, "letter"),
  bulk: text(search, "bulk"),
})

/** The groups know of times alone: an address with another filter opens the list. */
export const viewOf = ({ view, type, priority, definitionId, failure, letter }: DeadLetterSearch): View =>
  view ?? ([type, priority, definitionId, failure, letter].some((value) => value !== undefined) ? "list" : "errors")

export const filterOf = (search: DeadLetterSearch): DeadLetterFilter => ({
  type: search.type,
  priority: search.priority,
  definition_id: search.definitionId,
  error: search.failure,
  died: search.died,
  since: search.since,
  before: search.before,
})

export const isFiltered = (filter: DeadLetterFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)
