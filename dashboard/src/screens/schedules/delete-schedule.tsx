// Asks before a schedule is removed.
import { useMutation } from "@tanstack/react-query"
import { refreshLive } from "../../api/query-client.ts"
import { deleteSchedule, type Schedule } from "../../api/schedules.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { say } from "../../kit/toast.tsx"

export function DeleteSchedule({
  schedule: { id },
  onClose,
}: {
  readonly schedule: Schedule
  readonly onClose: () => void
}) {
  const removal = useMutation({
    mutationFn: () => deleteSchedule(id),
    onSuccess: () => {
      say(`Deleted ${id}`)
      onClose()
    },
    onSettled: refreshLive,
  })
  return (
    <ActionDialog
      title={`Delete ${id}?`}
      verb="Delete"
      danger
      busy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    >
      <p>It will not fire again, and its list of runs goes with it. What it has started goes on.</p>
    </ActionDialog>
  )
}
