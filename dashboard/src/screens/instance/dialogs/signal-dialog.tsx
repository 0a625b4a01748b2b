// Sends the signal that an instance waits for, with the variables it brings.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { instanceChanged, signalInstance } from "../../../api/instance.ts"
import { JsonEditor } from "../../../forms/json-editor.tsx"
import { ActionDialog } from "../../../kit/dialog.tsx"
import { parseJson } from "../../../kit/json.tsx"
import { say } from "../../../kit/toast.tsx"
import { isFields } from "../difference.ts"
import { stepName } from "../drawn-definition.ts"
import type { StepDialogProps } from "./step-dialog-props.ts"

export function SignalDialog({ instance, definition, stepId, choice, onClose }: StepDialogProps) {
  const { id } = instance
  const [text, setText] = useState("{\n  \n}")
  const parsed = parseJson(text)
  const variables = parsed.error === undefined && isFields(parsed.value) ? parsed.value : undefined
  const isOther = parsed.error === undefined && variables === undefined
  const name = stepName(definition, stepId)
  const signal = useMutation({
    mutationFn: () => signalInstance(id, stepId, variables ?? {}),
    onSuccess: () => {
      say(`Sent the signal ${name}`)
      onClose()
    },
    onSettled: () => instanceChanged(id),
  })
  return (
    <ActionDialog
      title={`Send the signal ${name}`}
      verb="Send the signal"
      busy={signal.isPending}
      error={signal.error}
      disabled={variables === undefined}
      onConfirm={() => signal.mutate()}
      onClose={onClose}
    >
      <p>The step ends and the instance goes on. What the signal brings is merged into the variables.</p>
      {choice}
      <JsonEditor
        label="Variables it brings"
        value={text}
        onChange={setText}
        marks={isOther ? [{ path: "$", message: "Variables are an object: { … }" }] : []}
        hint='Such as { "signedAt": "2025-03-01" }. Leave it empty to bring nothing.'
        minLines={5}
      />
    </ActionDialog>
  )
}
