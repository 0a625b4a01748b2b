// The variables: as they are now, and after any step, with what that step changed.
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { type AuditLine, auditLinesQuery } from "../../../api/audit.ts"
import type { Definition } from "../../../api/definitions.ts"
import { cx } from "../../../kit/classes.ts"
import { Json } from "../../../kit/json.tsx"
import { clockTime } from "../../../kit/time.tsx"
import { isRecorded, stepName } from "../drawn-definition.ts"
import { ChangeList, changeCount } from "./change-list.tsx"
import { foldVariables, type VariableState, wasRetried } from "./fold-variables.ts"
import type { PanelProps } from "./panel-props.ts"

const NO_LINES: readonly AuditLine[] = []

export function VariablesPanel({ instance, definition, history, search, change }: PanelProps) {
  const { id, input, startedAt, variables } = instance
  const retried = useQuery({ ...auditLinesQuery(id, ["STEP_RETRIED"]), enabled: wasRetried(history) })
  const retries = retried.data ?? NO_LINES
  const states = useMemo(
    () => foldVariables({ instanceId: id, startedAt, input: input ?? {}, history, retries }),
    [id, startedAt, input, history, retries],
  )
  const chosen = states.find((state) => state.id === search.after)
  return (
    <div className="grid lg:grid-cols-[18rem_minmax(0,1fr)]">
      <nav aria-label="States of the variables" className="border-line max-lg:border-b lg:border-r">
        <ul className="max-h-60 overflow-y-auto py-2 lg:max-h-[36rem]">
          <Entry
            title="Now"
            detail={howMany(Object.keys(variables).length)}
            isChosen={chosen === undefined}
            onChoose={() => change({ after: undefined })}
          />
          {states.toReversed().map((state) => (
            <Entry
              key={state.id}
              title={titleOf(state, definition)}
              detail={`${clockTime(state.at)} · ${changeCount(state.changes)}`}
              isChosen={state === chosen}
              onChoose={() => change({ after: state.id })}
            />
          ))}
        </ul>
      </nav>
      <div className="min-w-0 p-4">
        {chosen ? (
          <State key={chosen.id} state={chosen} title={titleOf(chosen, definition)} />
        ) : (
          <Now variables={variables} returned={returnedBy(id, history)} />
        )}
      </div>
    </div>
  )
}

/** What the steps of a list or a function have returned, by their names: it is not among the variables before the run ends. */
const returnedBy = (instanceId: string, history: PanelProps["history"]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    history.flatMap((step) =>
      isRecorded(instanceId, step) && step.output !== undefined ? [[step.stepId, step.output]] : [],
    ),
  )

interface NowProps {
  readonly variables: object
  readonly returned: object
}

const Now = ({ variables, returned }: NowProps) => (
  <div className="flex flex-col gap-4">
    <Json value={variables} label="variables now" />
    {Object.keys(returned).length > 0 && (
      <section>
        <h3 className="mb-2 font-semibold">What its steps returned</h3>
        <Json value={returned} label="what its steps returned" />
      </section>
    )}
  </div>
)

const howMany = (count: number): string => (count === 1 ? "1 variable" : `${count} variables`)

const TITLES: Readonly<Record<VariableState["kind"], (name: string) => string>> = {
  start: () => "Started with",
  step: (name) => `After ${name}`,
  retry: (name) => `Changed for the retry of ${name}`,
  returned: (name) => `Returned by ${name}`,
}

const titleOf = ({ kind, stepId }: VariableState, definition: Definition): string =>
  TITLES[kind](stepId === undefined ? "" : stepName(definition, stepId))

interface EntryProps {
  readonly title: string
  readonly detail: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}

const Entry = ({ title, detail, isChosen, onChoose }: EntryProps) => (
  <li>
    <button
      type="button"
      aria-current={isChosen || undefined}
      onClick={onChoose}
      className={cx("w-full px-4 py-1.5 text-left", isChosen ? "bg-accent-soft" : "hover:bg-sunken")}
    >
      <span className={cx("block truncate", isChosen && "font-medium")}>{title}</span>
      <span className="text-muted block text-xs">{detail}</span>
    </button>
  </li>
)

function State({ state, title }: { readonly state: VariableState; readonly title: string }) {
  const isReturn = state.kind === "returned"
  return (
    <div className="flex flex-col gap-4">
      <section>
        <h3 className="mb-2 font-semibold">{title}</h3>
        {isReturn && (
          <p className="text-muted mb-2">
            A step of a list hands what it returns to the run, which changes the variables when it ends.
          </p>
        )}
        <ChangeList changes={state.changes} />
      </section>
      {!isReturn && (
        <section>
          <h3 className="mb-2 font-semibold">All variables then</h3>
          <Json value={state.after} label="all variables then" />
        </section>
      )}
    </div>
  )
}
