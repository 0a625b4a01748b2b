// What the address of the instance list says: the filters of the contract, where the page begins, and a bulk operation that is followed.
import type { InstanceFilter } from "../../api/filters/instance-filter.ts"
import { timeRange } from "../../api/filters/time-range.ts"
import { type RawSearch, text } from "../../api/search-text.ts"

export const STATUSES = ["ACTIVE", "WAITING", "COMPLETED", "FAILED", "CANCELLED"] as const

export interface InstancesSearch extends InstanceFilter {
  readonly cursor?: string
  readonly bulk?: string
}

/** Moments count more than a range that moves with the clock. */
const startedIn = (search: RawSearch): string | undefined =>
  (text(search, "startedAfter") ?? text(search, "startedBefore")) === undefined
    ? timeRange(search, "started")
    : undefined

/** What is no status is asked for, too, and refused: without the filter the page would show all instances for those of the status. */
function statusIn(search: RawSearch): InstanceFilter["status"] {
  const word = text(search, "status")?.toUpperCase()
  return word as InstanceFilter["status"]
}

export const readInstanceFilter = (search: RawSearch): InstanceFilter => ({
  definitionId: text(search, "definitionId"),
  version: text(search, "version"),
  status: statusIn(search),
  businessKey: text(search, "businessKey"),
  started: startedIn(search),
  startedAfter: text(search, "startedAfter"),
  startedBefore: text(search, "startedBefore"),
  failure: text(search, "failure"),
})

export const readInstancesSearch = (search: RawSearch): InstancesSearch => ({
  ...readInstanceFilter(search),
  cursor: text(search, "cursor"),
  bulk: text(search, "bulk"),
})

export const isFiltered = (filter: InstanceFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)
