// How long one attempt of a job type may run, whatever its jobs say.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { type JobType, setJobTimeout } from "../../api/job-types.ts"
import { refreshQueues } from "../../api/query-client.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { say } from "../../kit/toast.tsx"
import { DurationField, isoDuration, typedDuration } from "./duration-field.tsx"

export function TimeoutDialog({ jobType, onClose }: { readonly jobType: JobType; readonly onClose: () => void }) {
  const { name, timeout } = jobType
  const [typed, setTyped] = useState(() => typedDuration(timeout))
  const chosen = isoDuration(typed)
  const act = useMutation({
    mutationFn: () => setJobTimeout(name, chosen),
    onSuccess: async () => {
      await refreshQueues()
      onClose()
      say(chosen === undefined ? `Removed the timeout of ${name}.` : `Saved the timeout of ${name}.`)
    },
  })
  return (
    <ActionDialog
      title={`Timeout of ${name}`}
      verb="Save timeout"
      busy={act.isPending}
      error={act.error}
      disabled={chosen === timeout}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      <p>An attempt that runs longer is given up and tried again. It holds from the next claim on.</p>
      <DurationField label="Timeout" hint="Empty: as its jobs say." value={typed} onChange={setTyped} />
    </ActionDialog>
  )
}
