// Retries the step that failed an instance, with variables that were corrected before.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { instanceChanged } from "../../../api/instance.ts"
import { retryStep } from "../../../api/instances.ts"
import { JsonEditor } from "../../../forms/json-editor.tsx"
import { ActionDialog } from "../../../kit/dialog.tsx"
import { jsonText, parseJson } from "../../../kit/json.tsx"
import { say } from "../../../kit/toast.tsx"
import { isFields, patchBetween } from "../difference.ts"
import { stepName } from "../drawn-definition.ts"
import { retriedStep } from "../possible-actions.ts"
import type { StepDialogProps } from "./step-dialog-props.ts"

/** Larger ones are not put into a box to type in: there one writes what is to change. */
const MOST_EDITED = 100_000

export function RetryDialog({ instance, definition, stepId, choice, onClose }: StepDialogProps) {
  const { id, variables } = instance
  const [isLong] = useState(() => jsonText(variables).length > MOST_EDITED)
  const [before] = useState(isLong ? {} : variables)
  const [text, setText] = useState(() => jsonText(before))
  const { patch, fault, isBroken = false } = readPatch(text, before)
  const names = Object.keys(patch)
  const name = stepName(definition, stepId)
  const retry = useMutation({
    mutationFn: () => retryStep(id, retriedStep(definition, stepId), names.length === 0 ? undefined : patch),
    onSuccess: () => {
      say(names.length === 0 ? `Retried ${name}` : `Retried ${name} with ${names.join(", ")} changed`)
      onClose()
    },
    onSettled: () => instanceChanged(id),
  })
  return (
    <ActionDialog
      title={`Retry ${name}`}
      verb={names.length === 0 ? "Retry" : "Change and retry"}
      busy={retry.isPending}
      error={retry.error}
      disabled={isBroken || fault !== undefined}
      wide
      onConfirm={() => retry.mutate()}
      onClose={onClose}
    >
      <p>
        The instance is live again from this step, with all its retries. What failed stays in the history. Change what
        made it fail:
      </p>
      {choice}
      <JsonEditor
        label={isLong ? "Variables to change (all of them are too long to show here)" : "Variables"}
        value={text}
        onChange={setText}
        marks={fault === undefined ? [] : [{ path: "$", message: fault }]}
        hint={names.length === 0 ? "Nothing is changed yet." : `Will change ${names.join(", ")}.`}
      />
    </ActionDialog>
  )
}

type Variables = StepDialogProps["instance"]["variables"]

interface ReadPatch {
  readonly patch: Variables
  readonly fault?: string
  readonly isBroken?: boolean
}

function readPatch(text: string, before: Variables): ReadPatch {
  const { value, error } = { value: undefined, ...parseJson(text) }
  // The editor itself tells where it is not JSON.
  if (error !== undefined) return { patch: {}, isBroken: true }
  if (!isFields(value)) return { patch: {}, fault: "Variables are an object: { … }" }
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(value, name))
  const patch = patchBetween(before, value)
  return gone.length === 0
    ? { patch }
    : { patch, fault: `A variable cannot be removed: set ${gone.join(", ")} to null instead` }
}
