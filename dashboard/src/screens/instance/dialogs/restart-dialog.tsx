// Starts a new instance in the place of one that has ended, with another input or from another step.
import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Definition } from "../../../api/definitions.ts"
import { instanceChanged } from "../../../api/instance.ts"
import { type Instance, restartInstance } from "../../../api/instances.ts"
import { JsonEditor } from "../../../forms/json-editor.tsx"
import { ActionDialog } from "../../../kit/dialog.tsx"
import { SelectField } from "../../../kit/fields/fields.tsx"
import { parseJson } from "../../../kit/json.tsx"
import { say } from "../../../kit/toast.tsx"
import { isFields } from "../difference.ts"
import { restartSteps } from "./restart-steps.ts"

interface Props {
  readonly instance: Instance
  readonly definition: Definition
  readonly onClose: () => void
}

export function RestartDialog({ instance: { id, undoneBy }, definition, onClose }: Props) {
  const [from, setFrom] = useState("")
  const [text, setText] = useState("{}")
  const { variables, fault, isBroken } = readVariables(text)
  const navigate = useNavigate()
  const restart = useMutation({
    mutationFn: () => restartInstance(id, { ...(from === "" ? {} : { fromStep: from }), variables }),
    onSuccess: ({ id: instanceId }) => {
      say("Started a new instance in its place")
      onClose()
      void navigate({ to: "/instances/$instanceId", params: { instanceId } })
    },
    onSettled: () => instanceChanged(id),
  })
  return (
    <ActionDialog
      title="Restart"
      verb="Restart"
      busy={restart.isPending}
      error={restart.error}
      disabled={isBroken || fault !== undefined}
      wide
      onConfirm={() => restart.mutate()}
      onClose={onClose}
    >
      <p>
        A new instance takes the place of this one, which stays as it is. It has the latest version of the definition.
      </p>
      {undoneBy === undefined && (
        <SelectField label="Begin with" value={from} onChange={(event) => setFrom(event.target.value)}>
          <option value="">The first step</option>
          {restartSteps(definition).map((step) => (
            <option key={step.id} value={step.id}>
              {step.name}
            </option>
          ))}
        </SelectField>
      )}
      <JsonEditor
        label="Variables to change"
        value={text}
        onChange={setText}
        marks={fault === undefined ? [] : [{ path: "$", message: fault }]}
        hint="Merged over what the instance begins with."
      />
    </ActionDialog>
  )
}

type Variables = Instance["variables"]

function readVariables(text: string): { variables: Variables; fault?: string; isBroken: boolean } {
  const { value, error } = { value: undefined, ...parseJson(text) }
  // The editor itself tells where it is not JSON.
  if (error !== undefined) return { variables: {}, isBroken: true }
  return isFields(value)
    ? { variables: value, isBroken: false }
    : { variables: {}, fault: "Variables are an object: { … }", isBroken: false }
}
