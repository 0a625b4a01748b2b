// One step of the instance: each time it was entered, what came of it, and what can be done there.

import { useState } from "react"
import type { Step } from "../../api/definitions.ts"
import type { StepExecution, WaitingReason } from "../../api/instance.ts"
import { kindWords, StepIcon } from "../../graph/step-type.tsx"
import { Button } from "../../kit/button.tsx"
import { Words } from "../../kit/cut-text.tsx"
import { Json } from "../../kit/json.tsx"
import type { Ask } from "./dialogs/dialogs.tsx"
import { ExecutionView } from "./execution-view.tsx"
import type { PossibleActions } from "./possible-actions.ts"

interface Props {
  readonly step: Step
  readonly executions: readonly StepExecution[]
  readonly reasons: readonly WaitingReason[]
  readonly actions: PossibleActions
  readonly ask: Ask
  readonly onClose: () => void
}

/** A step in a loop may have been entered thousands of times. */
const SHOWN = 10

export function StepPanel({ step, executions, reasons, actions, ask, onClose }: Props) {
  const [showsAll, setShowsAll] = useState(false)
  const newestFirst = [...executions].reverse()
  const shown = showsAll ? newestFirst : newestFirst.slice(0, SHOWN)
  return (
    <section aria-label={`Step ${step.name}`} className="flex flex-col gap-3 px-4 py-3">
      <header>
        <div className="flex items-start justify-between gap-2">
          <h2 className="flex min-w-0 items-center gap-2 font-semibold">
            <StepIcon type={step.type} className="text-muted" />
            <span className="min-w-0">
              <Words text={step.name} />
            </span>
          </h2>
          <Button
            look="quiet"
            className="-mt-1 -mr-2 px-2 py-1 text-xs"
            title="Back to all steps (Esc)"
            onClick={onClose}
          >
            All steps
          </Button>
        </div>
        <p className="text-muted text-xs">
          {kindWords(step)} · <code>{step.id}</code>
          {step.jobType && (
            <>
              {" "}
              · job type <code>{step.jobType}</code>
            </>
          )}
        </p>
        {step.description && (
          <p className="mt-1">
            <Words text={step.description} />
          </p>
        )}
      </header>
      <StepActions step={step} actions={actions} ask={ask} />
      {executions.length === 0 && <p className="text-muted">No execution of this step is recorded.</p>}
      {shown.map((execution) => (
        <ExecutionView key={execution.id} execution={execution} reasons={reasons} />
      ))}
      {shown.length < executions.length && (
        <Button onClick={() => setShowsAll(true)}>Show all {executions.length} executions</Button>
      )}
      <details>
        <summary className="text-muted text-xs">The step as it is written</summary>
        <Json value={step} label="the step" className="mt-2" />
      </details>
    </section>
  )
}

function StepActions({ step, actions, ask }: Pick<Props, "step" | "actions" | "ask">) {
  const can = {
    retry: actions.retry.includes(step.id),
    task: actions.task.includes(step.id),
    signal: actions.signal.includes(step.id),
  }
  if (!can.retry && !can.task && !can.signal) return null
  return (
    <div className="flex flex-wrap gap-2">
      {can.retry && (
        <Button title="Retry this step (r)" onClick={() => ask("retry", step.id)}>
          Retry this step…
        </Button>
      )}
      {can.task && (
        <Button title="Complete the user task (t)" onClick={() => ask("task", step.id)}>
          Complete the task…
        </Button>
      )}
      {can.signal && (
        <Button title="Send the signal (s)" onClick={() => ask("signal", step.id)}>
          Send the signal…
        </Button>
      )}
    </div>
  )
}
