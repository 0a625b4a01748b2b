// Runs a job again that has ended: asks first, and leads to the new job. One that is a dead letter is replayed instead.
import { useMutation, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { deadLetterQuery } from "../../api/dead-letters.ts"
import { rerunJob } from "../../api/job-lists/ended-jobs.ts"
import type { Job } from "../../api/jobs.ts"
import { Button } from "../../kit/button.tsx"
import { ActionDialog } from "../../kit/dialog.tsx"
import { say } from "../../kit/toast.tsx"

export function RunAgain({ job }: { readonly job: Job }) {
  const [isOpen, setIsOpen] = useState(false)
  const isFailed = job.status === "FAILED"
  const {
    data: letter,
    error,
    isPending,
  } = useQuery({
    ...deadLetterQuery(job.id),
    enabled: isFailed,
    refetchInterval: false,
  })
  if (isFailed && (isPending || letter)) return null
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Run again</Button>
      {isOpen && <RunAgainDialog job={job} fate={fateIn(error)} onClose={() => setIsOpen(false)} />}
    </>
  )
}

/** What became of its dead letter, as the engine says it: a job that was replayed may be done already. */
const fateIn = (error: Error | null): string | undefined => /: (it was .*)$/.exec(error?.message ?? "")?.[1]

interface DialogProps {
  readonly job: Job
  readonly fate: string | undefined
  readonly onClose: () => void
}

function RunAgainDialog({ job, fate, onClose }: DialogProps) {
  const navigate = useNavigate()
  const again = useMutation({
    mutationFn: () => rerunJob(job.id),
    onSuccess: async ({ jobId }) => {
      say(`Enqueued ${job.type} again`)
      onClose()
      await navigate({ to: "/jobs/$jobId", params: { jobId } })
    },
  })
  return (
    <ActionDialog
      title={`Run ${job.type} again`}
      verb="Run again"
      busy={again.isPending}
      error={again.error}
      onConfirm={() => again.mutate()}
      onClose={onClose}
    >
      {fate && <p>It was a dead letter: {fate}.</p>}
      <p className="text-muted">
        A new job with the same payload, priority and downstream is enqueued. This one stays as it is. What its handler
        has done already, it may do once more.
      </p>
    </ActionDialog>
  )
}
