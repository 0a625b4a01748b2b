// What the address of the inbox says: whose tasks, and which of them is open.
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"

export interface UserTaskSearch {
  readonly status?: "COMPLETED" | "CANCELLED"
  readonly assignee?: string
  readonly group?: string
  readonly cursor?: string
  readonly task?: string
}

export const readUserTaskSearch = (search: RawSearch): UserTaskSearch => ({
  status: oneOf(search, "status", ["COMPLETED", "CANCELLED"]),
  assignee: text(search, "assignee"),
  group: text(search, "group"),
  cursor: text(search, "cursor"),
  task: text(search, "task"),
})
