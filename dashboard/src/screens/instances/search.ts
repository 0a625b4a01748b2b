// What the address of the instance list says: the filters of the contract, where the page begins, and a bulk operation that is followed.
import type { InstanceFilter } from "../../api/instances.ts"
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"

export const STATUSES = ["ACTIVE", "WAITING", "COMPLETED", "FAILED", "CANCELLED"] as const

export interface InstancesSearch extends InstanceFilter {
  readonly cursor?: string
  readonly bulk?: string
}

export const readInstanceFilter = (search: RawSearch): InstanceFilter => ({
  definitionId: text(search, "definitionId"),
  version: text(search, "version"),
  status: oneOf(search, "status", STATUSES),
  businessKey: text(search, "businessKey"),
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
