// What dead letters can be filtered by, and the views of them that are always there.

import { rangeWords } from "../../api/filters/time-range.ts"
import { PRIORITIES } from "../../api/overview.ts"
import { choiceOf, MomentEditor, RangeEditor } from "../../kit/filters/editors.tsx"
import { type FilterKind, filterLines } from "../../kit/filters/filter-kind.ts"
import { DefinitionEditor, FailureEditor, FailureWords, JobTypeEditor } from "../../kit/filters/known-editors.tsx"
import type { Views } from "../../kit/filters/saved-views.ts"
import { momentText } from "../../kit/time.tsx"
import { readDeadLetterFilter, type View } from "./search.ts"

const TIMES: readonly FilterKind[] = [
  { name: "died", label: "Died", words: rangeWords, Editor: RangeEditor, replaces: ["since", "before"] },
  { name: "since", label: "Died since", words: momentText, Editor: MomentEditor, replaces: ["died"] },
  { name: "before", label: "Died before", words: momentText, Editor: MomentEditor, replaces: ["died"] },
]

const ALL: readonly FilterKind[] = [
  {
    name: "failure",
    label: "Error",
    help: "Errors that are alike count as one",
    Value: FailureWords,
    Editor: FailureEditor,
  },
  { name: "type", label: "Job type", Editor: JobTypeEditor },
  { name: "priority", label: "Priority", Editor: choiceOf(PRIORITIES) },
  { name: "definitionId", label: "Definition", Editor: DefinitionEditor },
  ...TIMES,
]

/** The groups know of times alone. */
export const filtersOf = (view: View): readonly FilterKind[] => (view === "list" ? ALL : TIMES)

export const DEAD_LETTER_VIEWS: Views = {
  name: "dead-letter",
  to: "/dead-letters",
  builtIn: [
    { name: "All", filter: {} },
    { name: "Last hour", filter: { died: "1h" } },
    { name: "Last 24 hours", filter: { died: "24h" } },
  ],
  read: (search) => ({ ...readDeadLetterFilter(search) }),
  lines: (filter) => filterLines(ALL, filter),
}
