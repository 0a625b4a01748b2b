// What the address of the dead letters says: how they are looked at, which of them, which one is open, and a bulk operation that is followed.
import type { DeadLetterFilter } from "../../api/dead-letters.ts"
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
  readonly since?: string
  readonly before?: string
  readonly cursor?: string
  /** By its id, or by that of its standalone job. */
  readonly letter?: string
  readonly bulk?: string
}

export const readDeadLetterSearch = (search: RawSearch): DeadLetterSearch => ({
  view: oneOf(search, "view", VIEWS),
  type: text(search, "type"),
  priority: oneOf(search, "priority", PRIORITIES),
  definitionId: text(search, "definitionId"),
  failure: text(search, "failure"),
  since: text(search, "since"),
  before: text(search, "before"),
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
  since: search.since,
  before: search.before,
})

export const isFiltered = (filter: DeadLetterFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)
