// When a task is due, and how that is changed.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { setUserTaskDue, type UserTask } from "../../api/user-tasks.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/fields/fields.tsx"
import { momentOf, wallTimeOf } from "../../kit/moment.ts"
import { fullTime } from "../../kit/time.tsx"
import { say } from "../../kit/toast.tsx"

interface Props {
  readonly task: UserTask
  readonly onChanged: () => Promise<unknown>
  readonly onClose: () => void
}

export function DueDate({ task, onChanged, onClose }: Props) {
  const [wallTime, setWallTime] = useState(wallTimeOf(task.dueAt))
  const dueAt = momentOf(wallTime)
  const change = useMutation({
    mutationFn: () => setUserTaskDue(task.id, dueAt),
    // The dialog closes only when the page has the new date. Opened again earlier, it would show the old one.
    onSuccess: async () => {
      await onChanged()
      say(dueAt === undefined ? `${task.name} has no due date` : `${task.name} is due ${fullTime(dueAt)}`)
      onClose()
    },
    onError: onChanged,
  })
  return (
    <ActionDialog
      title={`Due date of ${task.name}`}
      verb="Save"
      busy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <p className="text-muted">It only shows: nothing else happens at that time. Empty means no due date.</p>
      <TextField
        label="Due"
        type="datetime-local"
        value={wallTime}
        onChange={(event) => setWallTime(event.target.value)}
      />
    </ActionDialog>
  )
}
