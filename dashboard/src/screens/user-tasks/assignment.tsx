// Whose task it is, and how that is changed: claimed, given back, delegated. Beside it when it is due.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { claimUserTask, delegateUserTask, type UserTask, unclaimUserTask } from "../../api/user-tasks.ts"
import { Button } from "../../kit/button.tsx"
import { ActionDialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/fields/fields.tsx"
import { ErrorNote } from "../../kit/states.tsx"
import { say } from "../../kit/toast.tsx"
import { DueDate } from "./due-date.tsx"

interface Props {
  readonly task: UserTask
  readonly me: string
  readonly onChanged: () => Promise<unknown>
}

export function Assignment({ task, me, onChanged }: Props) {
  const [dialog, setDialog] = useState<"delegate" | "due">()
  const close = () => setDialog(undefined)
  const claim = useMutation({
    mutationFn: () => claimUserTask(task.id, me),
    onSuccess: () => say(`Claimed ${task.name}`),
    onSettled: onChanged,
  })
  // From the person whom the page shows: another one may have claimed it meanwhile.
  const giveBack = useMutation({
    mutationFn: () => unclaimUserTask(task.id, task.assignee),
    onSuccess: () => say(`Gave ${task.name} back`),
    onSettled: onChanged,
  })
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        {task.assignee === undefined ? (
          <Button
            disabled={me === ""}
            title={me === "" ? "Say who you are first, above" : undefined}
            busy={claim.isPending}
            onClick={() => claim.mutate()}
          >
            Claim
          </Button>
        ) : (
          <Button busy={giveBack.isPending} onClick={() => giveBack.mutate()}>
            Give back
          </Button>
        )}
        <Button onClick={() => setDialog("delegate")}>Delegate…</Button>
        <Button onClick={() => setDialog("due")}>Due date…</Button>
      </div>
      {task.assignee === undefined && me === "" && (
        <p className="text-muted text-xs">To claim it, say who you are: “I am”, above.</p>
      )}
      <ErrorNote error={claim.error ?? giveBack.error} />
      {dialog === "delegate" && <Delegate task={task} onChanged={onChanged} onClose={close} />}
      {dialog === "due" && <DueDate task={task} onChanged={onChanged} onClose={close} />}
    </div>
  )
}

interface DelegateProps extends Pick<Props, "task" | "onChanged"> {
  readonly onClose: () => void
}

function Delegate({ task, onChanged, onClose }: DelegateProps) {
  const [to, setTo] = useState("")
  const delegate = useMutation({
    mutationFn: () =>
      delegateUserTask(task.id, {
        assignee: to.trim(),
        ...(task.assignee === undefined ? {} : { from: task.assignee }),
      }),
    onSuccess: () => {
      say(`Delegated ${task.name} to ${to.trim()}`)
      onClose()
    },
    onSettled: onChanged,
  })
  return (
    <ActionDialog
      title={`Delegate ${task.name}`}
      verb="Delegate"
      busy={delegate.isPending}
      error={delegate.error}
      disabled={to.trim() === ""}
      onConfirm={() => delegate.mutate()}
      onClose={onClose}
    >
      <p className="text-muted">
        {task.assignee === undefined ? "No person has it now." : `It is with ${task.assignee} now.`} It will be in the
        inbox of the person that you name.
      </p>
      <TextField
        label="To"
        placeholder="name of the person"
        value={to}
        onChange={(event) => setTo(event.target.value)}
      />
    </ActionDialog>
  )
}
