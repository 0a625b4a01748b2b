// Asks before an instance is cancelled, and for the reason that is kept with it.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { instanceChanged } from "../../../api/instance.ts"
import { cancelInstance, type Instance } from "../../../api/instances.ts"
import { ActionDialog } from "../../../kit/dialog.tsx"
import { TextField } from "../../../kit/fields/fields.tsx"
import { say } from "../../../kit/toast.tsx"

const MOST = 2_000

export function CancelDialog({ instance, onClose }: { readonly instance: Instance; readonly onClose: () => void }) {
  const [reason, setReason] = useState("")
  const { id, currentStepIds } = instance
  const cancel = useMutation({
    mutationFn: () => cancelInstance(id, reason.trim() === "" ? undefined : reason.trim()),
    onSuccess: () => {
      say("Cancelled the instance")
      onClose()
    },
    onSettled: () => instanceChanged(id),
  })
  const open = currentStepIds.length === 1 ? "Its open step is" : `Its ${currentStepIds.length} open steps are`
  return (
    <ActionDialog
      title="Cancel this instance?"
      verb="Cancel the instance"
      danger
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      <p>
        {currentStepIds.length > 0 && `${open} stopped, jobs and user tasks are withdrawn. `}A cancelled instance cannot
        go on again.
      </p>
      <TextField
        label="Reason"
        hint="Kept with the instance and in its audit trail."
        value={reason}
        maxLength={MOST}
        onChange={(event) => setReason(event.target.value)}
      />
    </ActionDialog>
  )
}
