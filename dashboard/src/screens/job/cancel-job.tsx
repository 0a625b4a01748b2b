// Asks before a job is cancelled, and why.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { LIVE_JOBS } from "../../api/job-lists/live-jobs.ts"
import { cancelJob, type Job } from "../../api/jobs.ts"
import { queryClient } from "../../api/query-client.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/fields/fields.tsx"
import { say } from "../../kit/toast.tsx"

export function CancelJob({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
  const [reason, setReason] = useState("")
  const act = useMutation({
    mutationFn: () => cancelJob(job.id, reason.trim()),
    onSuccess: async () => {
      void queryClient.invalidateQueries({ queryKey: LIVE_JOBS })
      await queryClient.invalidateQueries({ queryKey: ["job", job.id] })
      onClose()
      say("Cancelled the job.")
    },
  })
  return (
    <ActionDialog
      title="Cancel this job"
      verb="Cancel job"
      danger
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      <p>
        {job.status === "RUNNING"
          ? "Its worker is told at its next heartbeat, and what it still reports does not count. The job cannot be taken up again."
          : "It will not be handed out any more, and cannot be taken up again."}
      </p>
      <TextField
        label="Reason"
        hint="Kept with the job."
        maxLength={2_000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </ActionDialog>
  )
}
