// What jobs can be filtered by, and the views of them that are always there.
import { ENDED_STATUSES } from "../../api/job-lists/ended-jobs.ts"
import { PRIORITIES } from "../../api/overview.ts"
import { choiceOf, TypedEditor } from "../../kit/filters/editors.tsx"
import { type FilterKind, filterLines } from "../../kit/filters/filter-kind.ts"
import { JobTypeEditor } from "../../kit/filters/known-editors.tsx"
import type { Views } from "../../kit/filters/saved-views.ts"
import { readJobFilter, type Tab } from "./search.ts"

const FILTERS: readonly FilterKind[] = [
  { name: "jobType", label: "Job type", Editor: JobTypeEditor },
  { name: "priority", label: "Priority", Editor: choiceOf(PRIORITIES) },
  { name: "keyPrefix", label: "Key prefix", help: "Standalone jobs whose key begins so", Editor: TypedEditor },
]

const asWords = (status: string): string => status.toLowerCase()

const ENDED: readonly FilterKind[] = [
  ...FILTERS,
  { name: "as", label: "Ended as", words: asWords, Editor: choiceOf(ENDED_STATUSES, asWords) },
]

/** Jobs that have ended are also told by how they did. */
export const filtersOf = (status: Tab): readonly FilterKind[] => (status === "ended" ? ENDED : FILTERS)

export const JOB_VIEWS: Views = {
  name: "job",
  to: "/jobs",
  builtIn: [
    { name: "All", filter: {}, help: "All jobs that are ready" },
    { name: "High priority", filter: { priority: "high" } },
    { name: "Failed", filter: { status: "ended", as: "FAILED" } },
  ],
  read: (search) => ({ ...readJobFilter(search) }),
  lines: ({ status, ...filter }) => [...(status ? [`Status: ${status}`] : []), ...filterLines(ENDED, filter)],
}
