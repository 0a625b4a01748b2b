// The dialogs of an instance: which one is open, and the choice of a step where there are several.
import type { Definition } from "../../../api/definitions.ts"
import type { Instance } from "../../../api/instances.ts"
import { SelectField } from "../../../kit/fields/fields.tsx"
import { stepName } from "../drawn-definition.ts"
import type { PossibleActions } from "../possible-actions.ts"
import { CancelDialog } from "./cancel-dialog.tsx"
import { RestartDialog } from "./restart-dialog.tsx"
import { RetryDialog } from "./retry-dialog.tsx"
import { SignalDialog } from "./signal-dialog.tsx"
import { TaskDialog } from "./task-dialog.tsx"

export interface Doing {
  readonly kind: "retry" | "signal" | "task" | "cancel" | "restart"
  readonly stepId: string | undefined
}

/** Opens a dialog; without a step it is the one that is looked at, or the first. */
export type Ask = (kind: Doing["kind"], stepId?: string) => void

interface Props {
  readonly doing: Doing
  readonly instance: Instance
  readonly definition: Definition
  readonly actions: PossibleActions
  readonly onStep: (stepId: string) => void
  readonly onClose: () => void
}

export function DialogOf({ doing: { kind, stepId }, instance, definition, actions, onStep, onClose }: Props) {
  if (kind === "cancel") return <CancelDialog instance={instance} onClose={onClose} />
  if (kind === "restart") return <RestartDialog instance={instance} definition={definition} onClose={onClose} />
  if (stepId === undefined) return null
  const choice = <StepChoice definition={definition} steps={actions[kind]} chosen={stepId} onChoose={onStep} />
  // Another step is another form.
  const common = { instance, definition, stepId, choice, onClose }
  if (kind === "retry") return <RetryDialog {...common} />
  if (kind === "signal") return <SignalDialog {...common} />
  return <TaskDialog key={stepId} {...common} />
}

interface ChoiceProps {
  readonly definition: Definition
  readonly steps: readonly string[]
  readonly chosen: string
  readonly onChoose: (stepId: string) => void
}

function StepChoice({ definition, steps, chosen, onChoose }: ChoiceProps) {
  if (steps.length < 2) return null
  return (
    <SelectField label="Step" value={chosen} onChange={(event) => onChoose(event.target.value)}>
      {steps.map((stepId) => (
        <option key={stepId} value={stepId}>
          {stepName(definition, stepId)}
        </option>
      ))}
    </SelectField>
  )
}
