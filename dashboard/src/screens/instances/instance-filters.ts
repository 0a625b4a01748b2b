// What instances can be filtered by, and the views of them that are always there.
import { rangeWords } from "../../api/filters/time-range.ts"
import { choiceOf, MomentEditor, NumberEditor, RangeEditor, TypedEditor } from "../../kit/filters/editors.tsx"
import { type FilterKind, filterLines } from "../../kit/filters/filter-kind.ts"
import { DefinitionEditor, StepFailureEditor, StepFailureWords } from "../../kit/filters/known-editors.tsx"
import type { Views } from "../../kit/filters/saved-views.ts"
import { ABOUT } from "../../kit/names/instance-names.ts"
import { momentText } from "../../kit/time.tsx"
import { readInstanceFilter, STATUSES } from "./search.ts"

const statusWords = (status: string): string => status.toLowerCase()

export const INSTANCE_FILTERS: readonly FilterKind[] = [
  { name: "status", label: "Status", words: statusWords, Editor: choiceOf(STATUSES, statusWords) },
  { name: "definitionId", label: "Definition", Editor: DefinitionEditor },
  { name: "version", label: "Version", help: "Of the definition", Editor: NumberEditor },
  { name: "businessKey", label: "Business key", help: ABOUT.businessKey, Editor: TypedEditor },
  {
    name: "started",
    label: "Started",
    words: rangeWords,
    Editor: RangeEditor,
    replaces: ["startedAfter", "startedBefore"],
  },
  { name: "startedAfter", label: "Started after", words: momentText, Editor: MomentEditor, replaces: ["started"] },
  { name: "startedBefore", label: "Started before", words: momentText, Editor: MomentEditor, replaces: ["started"] },
  {
    name: "failure",
    label: "Failure",
    help: "Errors that are alike count as one",
    Value: StepFailureWords,
    Editor: StepFailureEditor,
  },
]

export const INSTANCE_VIEWS: Views = {
  name: "instance",
  to: "/instances",
  builtIn: [
    { name: "All", filter: {} },
    { name: "Failing", filter: { status: "FAILED" } },
    { name: "Waiting for people or signals", filter: { status: "WAITING" } },
    {
      name: "Maybe stuck",
      filter: { status: "ACTIVE", started: "over-1h" },
      help: "Started over an hour ago, and waits for no person and no signal: it is at work, asleep, or stuck",
    },
    { name: "Last hour", filter: { started: "1h" } },
  ],
  read: (search) => ({ ...readInstanceFilter(search) }),
  lines: (filter) => filterLines(INSTANCE_FILTERS, filter),
}
