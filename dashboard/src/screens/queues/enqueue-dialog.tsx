// Puts one job into the queue, and goes to its page.
import { useMutation, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useId, useState } from "react"
import { isRoutingName, ROUTING_NAME_HINT } from "../../../../engine/src/model/routing-name.ts"
import { enqueueJob } from "../../api/jobs.ts"
import type { LaneName } from "../../api/overview.ts"
import { jobTypesQuery, LANES } from "../../api/queues.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { AreaField, SelectField, TextField } from "../../kit/fields.tsx"
import { parseJson } from "../../kit/json.tsx"
import { say } from "../../kit/toast.tsx"
import { DurationField, isoDuration, NO_DURATION } from "./duration-field.tsx"

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

function faultOfPayload(text: string): string | undefined {
  const { error, ...parsed } = { value: undefined, ...parseJson(text) }
  if (error !== undefined) return `Not JSON: ${error}`
  return isObject(parsed.value) ? undefined : "An object, please, such as {}"
}

export function EnqueueDialog({ onClose }: { readonly onClose: () => void }) {
  const [type, setType] = useState("")
  const [payload, setPayload] = useState("{}")
  const [priority, setPriority] = useState<LaneName>("normal")
  const [delay, setDelay] = useState(NO_DURATION)
  const { data: types = [] } = useQuery(jobTypesQuery)
  const listId = useId()
  const navigate = useNavigate()
  const wait = isoDuration(delay)
  const payloadFault = faultOfPayload(payload)
  const isNamed = isRoutingName(type.trim())
  const act = useMutation({
    mutationFn: () =>
      enqueueJob({
        type: type.trim(),
        payload: JSON.parse(payload),
        priority,
        ...(wait === undefined ? {} : { delay: wait }),
      }),
    onSuccess: async ({ id, type }) => {
      say(`Enqueued a ${type} job.`)
      await navigate({ to: "/jobs/$jobId", params: { jobId: id } })
    },
  })
  return (
    <ActionDialog
      title="Enqueue a job"
      verb="Enqueue"
      busy={act.isPending}
      error={act.error}
      disabled={!isNamed || payloadFault !== undefined}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Job type"
        required
        autoComplete="off"
        list={listId}
        hint="Workers that poll for this type take it."
        error={type === "" || isNamed ? undefined : ROUTING_NAME_HINT}
        value={type}
        onChange={(event) => setType(event.target.value)}
      />
      <datalist id={listId}>
        {types.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <AreaField
        label="Payload (JSON)"
        rows={6}
        error={payloadFault}
        value={payload}
        onChange={(event) => setPayload(event.target.value)}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Priority"
          value={priority}
          onChange={(event) => setPriority(event.target.value as LaneName)}
        >
          {LANES.map((lane) => (
            <option key={lane}>{lane}</option>
          ))}
        </SelectField>
        <DurationField label="Delay" hint="Empty: at once." value={delay} onChange={setDelay} />
      </div>
    </ActionDialog>
  )
}
