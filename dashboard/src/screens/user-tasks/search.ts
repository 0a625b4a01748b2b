// What the address of the inbox says: whose tasks, and which of them is open.
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"

export const CLOSED = ["COMPLETED", "CANCELLED"] as const

/** Which tasks. Open ones are shown where no status is named. */
export interface TaskFilter {
  readonly status?: (typeof CLOSED)[number]
  readonly assignee?: string
  readonly group?: string
}

export interface UserTaskSearch extends TaskFilter {
  readonly cursor?: string
  readonly task?: string
}

export const readTaskFilter = (search: RawSearch): TaskFilter => ({
  status: oneOf(search, "status", CLOSED),
  assignee: text(search, "assignee"),
  group: text(search, "group"),
})

export const readUserTaskSearch = (search: RawSearch): UserTaskSearch => ({
  ...readTaskFilter(search),
  cursor: text(search, "cursor"),
  task: text(search, "task"),
})
