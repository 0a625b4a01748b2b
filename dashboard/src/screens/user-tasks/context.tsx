// The context of a task: the variables of its instance, one by one, and which of them stand in the list.
import type { UserTask } from "../../api/user-tasks.ts"
import { Button } from "../../kit/button.tsx"
import { CutText } from "../../kit/cut-text.tsx"
import { CopyButton, Json, jsonText } from "../../kit/json.tsx"
import { aboutOf, choose, isFact, toggled, useChoices } from "./about.ts"

/** More are read as JSON. */
const LINES = 12

export function Context({ task }: { readonly task: UserTask }) {
  const entries = Object.entries(task.variables)
  return (
    <section aria-label="Context" className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <h3 className="font-semibold">Variables of the instance</h3>
        {entries.length > 0 && <CopyButton text={jsonText(task.variables)} label="Copy variables" />}
      </div>
      {entries.length === 0 && <p className="text-muted">It has none.</p>}
      {entries.length > 0 && entries.length <= LINES && <Variables task={task} entries={entries} />}
      {entries.length > LINES && <Json value={task.variables} label="variables" />}
    </section>
  )
}

interface VariablesProps {
  readonly task: UserTask
  readonly entries: readonly (readonly [string, unknown])[]
}

function Variables({ task, entries }: VariablesProps) {
  return (
    <dl className="divide-line border-line divide-y border-y">
      {entries.map(([name, value]) => (
        <div key={name} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] items-center gap-3 py-1">
          <dt className="min-w-0">
            <CutText text={name} className="text-muted" />
          </dt>
          <dd className="min-w-0">
            <CutText text={typeof value === "string" ? value : jsonText(value)} className="font-mono text-xs" />
          </dd>
          <dd>{isFact(value) && <InList task={task} name={name} />}</dd>
        </div>
      ))}
    </dl>
  )
}

function InList({ task, name }: { readonly task: UserTask; readonly name: string }) {
  const choices = useChoices()
  const isShown = aboutOf(task, choices).some((fact) => fact.name === name)
  return (
    <Button
      look="quiet"
      className="px-2 py-0 text-xs"
      aria-pressed={isShown}
      title={`${isShown ? "Leave out of" : "Show in"} the list, for tasks of ${task.definitionId}`}
      onClick={() => choose(toggled(task, choices, name))}
    >
      {isShown ? "In the list ✓" : "Show in the list"}
    </Button>
  )
}
