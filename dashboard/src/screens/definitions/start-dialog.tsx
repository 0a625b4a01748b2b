// Starts an instance: the form of the definition's input, a business key, a priority.
import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { type Definition, startInstance } from "../../api/definitions.ts"
import { ApiError, type Violation } from "../../api/http.ts"
import { refreshLive } from "../../api/query-client.ts"
import { checkValue } from "../../forms/check.ts"
import { initialValue } from "../../forms/field-kind.ts"
import { SchemaForm } from "../../forms/schema-form.tsx"
import { ActionDialog } from "../../kit/dialog.tsx"
import { SelectField, TextField } from "../../kit/fields.tsx"
import { say } from "../../kit/toast.tsx"

interface Props {
  readonly definition: Definition
  readonly isLatest: boolean
  readonly onClose: () => void
}

const NONE: readonly Violation[] = []

export function StartDialog({ definition, isLatest, onClose }: Props) {
  const { id, name, version, inputSchema = {} } = definition
  const navigate = useNavigate()
  const [value, setValue] = useState(() => initialValue(inputSchema))
  const [businessKey, setBusinessKey] = useState("")
  const [priority, setPriority] = useState("")
  const [faults, setFaults] = useState(NONE)
  const start = useMutation({
    mutationFn: () =>
      startInstance({
        definitionId: id,
        ...(isLatest ? {} : { definitionVersion: version }),
        variables: value,
        ...(businessKey.trim() === "" ? {} : { businessKey: businessKey.trim() }),
        ...(priority === "" ? {} : { priority }),
      }),
    onSuccess: async (instance) => {
      say(`Started an instance of ${name}`)
      void refreshLive()
      await navigate({ to: "/instances/$instanceId", params: { instanceId: instance.id } })
    },
  })
  const refused = start.error instanceof ApiError ? start.error.violations : NONE
  const errors = faults.length > 0 ? faults : refused
  const fields = useFirstFault(errors)
  const confirm = () => {
    const found = checkValue(inputSchema, value)
    setFaults(found)
    if (found.length === 0) start.mutate()
  }
  return (
    <ActionDialog
      title={`Start ${name}`}
      verb="Start"
      wide
      busy={start.isPending}
      error={faults.length > 0 ? undefined : messageOf(start.error)}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div ref={fields} className="flex flex-col gap-4">
        {!isLatest && <p className="text-warn">It runs version {version}, which is not the latest.</p>}
        <SchemaForm schema={inputSchema} value={value} onChange={setValue} errors={errors} />
        <div className="border-line grid gap-3 border-t pt-4 sm:grid-cols-2">
          <TextField
            label="Business key"
            hint="Optional. Only one unfinished instance can have it."
            maxLength={200}
            autoComplete="off"
            value={businessKey}
            onChange={(event) => setBusinessKey(event.target.value)}
          />
          <SelectField label="Priority" value={priority} onChange={(event) => setPriority(event.target.value)}>
            <option value="">As the definition says</option>
            <option value="normal">normal</option>
            <option value="high">high</option>
            <option value="critical">critical</option>
          </SelectField>
        </div>
      </div>
    </ActionDialog>
  )
}

/** What is said at a field is not said again below. */
const messageOf = (error: unknown): unknown =>
  error instanceof ApiError && error.violations.length > 0 ? new Error(error.message) : error

/** Whoever made a mistake is led to it. */
function useFirstFault(errors: readonly Violation[]) {
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (errors.length > 0) fields.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [errors])
  return fields
}
