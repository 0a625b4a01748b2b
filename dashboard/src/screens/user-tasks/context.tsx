// The context of a task: the variables of its instance, one by one, and which of them stand in the list.
import { useState } from "react"
import type { UserTask } from "../../api/user-tasks.ts"
import { Button } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { CutName, CutText, firstLine } from "../../kit/cut-text.tsx"
import { CopyButton, Json, jsonText } from "../../kit/json.tsx"
import { aboutOf, choose, isFact, toggled, useChoices } from "./about.ts"

/** More are read as JSON. */
const LINES = 12
/** Fits beside its name on a phone. */
const ONE_LINE = 16

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
        <div key={name} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_6.5rem] items-center gap-x-3 py-1">
          <dt className="min-w-0">
            <CutText text={name} className="text-muted" />
          </dt>
          <Value name={name} value={value} />
          {isFact(value) && (
            <dd className="text-right">
              <InList task={task} name={name} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

/** What may be longer than its line is shown whole when it is pressed: below, over the whole width. */
function Value({ name, value }: { readonly name: string; readonly value: unknown }) {
  const [isOpen, setIsOpen] = useState(false)
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  // What is no fact has no button beside it.
  const place = cx("min-w-0", !isFact(value) && "col-span-2")
  if (text.length <= ONE_LINE && !text.includes("\n"))
    return <dd className={cx(place, "truncate font-mono text-xs")}>{text}</dd>
  return (
    <>
      <dd className={place}>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`${name}, all of it`}
          onClick={() => setIsOpen(!isOpen)}
          className="text-accent flex w-full min-w-0 gap-1 text-left font-mono text-xs"
        >
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
          <CutName text={firstLine(text)} />
        </button>
      </dd>
      {isOpen && (
        <dd className="order-last col-span-3 py-1">
          <Json value={value} label={name} />
        </dd>
      )}
    </>
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
