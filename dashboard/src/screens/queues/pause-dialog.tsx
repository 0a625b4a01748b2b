// Asks before something is paused or resumed, and why.

import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { type Pause, type PauseTarget, pause, resume } from "../../api/pauses.ts"
import { refreshQueues } from "../../api/query-client.ts"
import { Words } from "../../kit/cut-text.tsx"
import { ActionDialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/fields/fields.tsx"
import { say } from "../../kit/toast.tsx"
import { Changed } from "./changed.tsx"
import { effectOf, nameOf } from "./pause-words.ts"

interface Props<Target> {
  readonly target: Target
  readonly onClose: () => void
}

export function PauseDialog({ target, onClose }: Props<PauseTarget>) {
  const [reason, setReason] = useState("")
  const act = useMutation({
    mutationFn: () => pause(target, reason.trim()),
    onSuccess: async () => {
      await refreshQueues()
      onClose()
      say(`Paused ${nameOf(target)}.`)
    },
  })
  return (
    <ActionDialog
      title={`Pause ${nameOf(target)}`}
      verb="Pause"
      danger
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      <p>{effectOf(target)}</p>
      <ReasonField value={reason} onChange={setReason} />
    </ActionDialog>
  )
}

export function ReasonField({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (reason: string) => void
}) {
  return (
    <TextField
      label="Reason"
      hint="Shown to everybody who asks why their job waits."
      maxLength={2_000}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

export function ResumeDialog({ target, onClose }: Props<Pause>) {
  const act = useMutation({
    mutationFn: () => resume(target),
    onSuccess: async () => {
      await refreshQueues()
      onClose()
      say(`Resumed ${nameOf(target)}.`)
    },
  })
  return (
    <ActionDialog
      title={`Resume ${nameOf(target)}`}
      verb="Resume"
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      <p>Its jobs are handed out again at once, by their priority.</p>
      <p>
        <Changed verb="Paused" at={target.pausedAt} by={target.pausedBy} otherwise="" />
        {target.reason !== undefined && (
          <span>
            : <Words text={target.reason} />
          </span>
        )}
      </p>
    </ActionDialog>
  )
}
