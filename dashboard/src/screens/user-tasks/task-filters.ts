// What tasks can be filtered by, and the views of them that are always there.
import { choiceOf, TypedEditor } from "../../kit/filters/editors.tsx"
import { type FilterKind, filterLines } from "../../kit/filters/filter-kind.ts"
import type { Views } from "../../kit/filters/saved-views.ts"
import { CLOSED, readTaskFilter } from "./search.ts"

const statusWords = (status: string): string => status.toLowerCase()

export const TASK_FILTERS: readonly FilterKind[] = [
  {
    name: "status",
    label: "Status",
    help: "Open ones are shown without it",
    words: statusWords,
    Editor: choiceOf(CLOSED, statusWords),
  },
  { name: "assignee", label: "Assignee", help: "Who has claimed it, or was given it", Editor: TypedEditor },
  { name: "group", label: "Group", help: "Whose members may claim it", Editor: TypedEditor },
]

/** What is mine is known once a name was said. */
export const viewsOf = (me: string): Views => ({
  name: "user-task",
  to: "/user-tasks",
  builtIn: [
    { name: "Open", filter: {}, help: "All tasks that wait for a person" },
    ...(me === "" ? [] : [{ name: "Only mine", filter: { assignee: me } }]),
    { name: "Completed", filter: { status: "COMPLETED" } },
  ],
  read: (search) => ({ ...readTaskFilter(search) }),
  lines: (filter) => filterLines(TASK_FILTERS, filter),
})
