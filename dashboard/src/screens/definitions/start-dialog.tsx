// Starts an instance: the form of the definition's input, a business key, a priority.

import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Definition } from "../../api/definitions.ts"
import { startInstance } from "../../api/instances.ts"
import { PRIORITIES, type Priority } from "../../api/overview.ts"
import { refreshLive } from "../../api/query-client.ts"
import { SchemaForm } from "../../forms/schema-form.tsx"
import { useSchemaForm } from "../../forms/use-schema-form.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { SelectField, TextField } from "../../kit/fields/fields.tsx"
import { say } from "../../kit/toast.tsx"

interface Props {
  readonly definition: Definition
  readonly isLatest: boolean
  readonly onClose: () => void
}

export function StartDialog({ definition, isLatest, onClose }: Props) {
  const { id, name, version, inputSchema = {} } = definition
  const navigate = useNavigate()
  const [businessKey, setBusinessKey] = useState("")
  const [priority, setPriority] = useState<Priority | "">("")
  const start = useMutation({
    mutationFn: () =>
      startInstance({
        definitionId: id,
        ...(isLatest ? {} : { definitionVersion: version }),
        variables: form.value,
        ...(businessKey.trim() === "" ? {} : { businessKey: businessKey.trim() }),
        ...(priority === "" ? {} : { priority }),
      }),
    onSuccess: async (instance) => {
      say(`Started an instance of ${name}`)
      void refreshLive()
      await navigate({ to: "/instances/$instanceId", params: { instanceId: instance.id } })
    },
  })
  const form = useSchemaForm(inputSchema, start.error)
  return (
    <ActionDialog
      title={`Start ${name}`}
      verb="Start"
      wide
      busy={start.isPending}
      error={form.message}
      onConfirm={() => form.check() && start.mutate()}
      onClose={onClose}
    >
      <div ref={form.fields} className="flex flex-col gap-4">
        {!isLatest && <p className="text-warn">It runs version {version}, which is not the latest.</p>}
        <SchemaForm schema={inputSchema} value={form.value} onChange={form.setValue} errors={form.errors} />
        <div className="border-line grid gap-3 border-t pt-4 sm:grid-cols-2">
          <TextField
            label="Business key"
            hint="Optional. Only one unfinished instance can have it."
            maxLength={200}
            autoComplete="off"
            value={businessKey}
            onChange={(event) => setBusinessKey(event.target.value)}
          />
          <SelectField
            label="Priority"
            value={priority}
            onChange={(event) => setPriority(event.target.value as Priority | "")}
          >
            <option value="">As the definition says</option>
            {PRIORITIES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </SelectField>
        </div>
      </div>
    </ActionDialog>
  )
}
