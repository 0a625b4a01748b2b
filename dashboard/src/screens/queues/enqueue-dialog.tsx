// Puts one job into the queue, and goes to its page.
import { useMutation, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useId, useState } from "react"
import { isRoutingName, ROUTING_NAME_HINT } from "../../../../engine/src/model/jobs/routing-name.ts"
import { LIVE_JOBS } from "../../api/job-lists/live-jobs.ts"
import { jobTypesQuery } from "../../api/job-types.ts"
import { enqueueJob, type NewJob } from "../../api/jobs.ts"
import { PRIORITIES, type Priority } from "../../api/overview.ts"
import { queryClient } from "../../api/query-client.ts"
import { JsonEditor } from "../../forms/json-editor.tsx"
import { ActionDialog } from "../../kit/dialog.tsx"
import { SelectField, TextField } from "../../kit/fields/fields.tsx"
import { parseJson } from "../../kit/json.tsx"
import { say } from "../../kit/toast.tsx"
import { DurationField, isoDuration, NO_DURATION } from "./duration-field.tsx"
import { EnqueueMore, fieldsOf, NO_MORE } from "./enqueue-more.tsx"

const isObject = (value: unknown): value is NewJob["payload"] =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The editor itself tells where it is not JSON. */
function readPayload(text: string): { readonly payload?: NewJob["payload"]; readonly refusal?: string } {
  const { value, error } = { value: undefined, ...parseJson(text) }
  if (error !== undefined) return {}
  return isObject(value) ? { payload: value } : { refusal: "An object, please, such as {}" }
}

export function EnqueueDialog({ onClose }: { readonly onClose: () => void }) {
  const [type, setType] = useState("")
  const [text, setText] = useState("{}")
  const [priority, setPriority] = useState<Priority>("normal")
  const [delay, setDelay] = useState(NO_DURATION)
  const [more, setMore] = useState(NO_MORE)
  const { data: types = [] } = useQuery(jobTypesQuery)
  const listId = useId()
  const navigate = useNavigate()
  const wait = isoDuration(delay)
  const { payload, refusal } = readPayload(text)
  const fields = fieldsOf(more)
  const isNamed = isRoutingName(type.trim())
  const act = useMutation({
    mutationFn: (payload: NewJob["payload"]) =>
      enqueueJob({
        type: type.trim(),
        payload,
        priority,
        ...(wait === undefined ? {} : { delay: wait }),
        ...fields,
      }),
    onSuccess: async ({ id, type }) => {
      say(`Enqueued a ${type} job.`)
      void queryClient.invalidateQueries({ queryKey: LIVE_JOBS })
      await navigate({ to: "/jobs/$jobId", params: { jobId: id } })
    },
  })
  return (
    <ActionDialog
      title="Enqueue a job"
      verb="Enqueue"
      busy={act.isPending}
      error={act.error}
      disabled={!isNamed || payload === undefined || fields === undefined}
      onConfirm={() => payload && act.mutate(payload)}
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
      <JsonEditor label="Payload (JSON)" value={text} onChange={setText} refusal={refusal} minLines={5} />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Priority"
          value={priority}
          onChange={(event) => setPriority(event.target.value as Priority)}
        >
          {PRIORITIES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
        <DurationField label="Delay" hint="Empty: at once." value={delay} onChange={setDelay} />
      </div>
      <EnqueueMore value={more} onChange={setMore} />
    </ActionDialog>
  )
}
