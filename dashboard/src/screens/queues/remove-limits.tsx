// Takes the limits of a downstream away, after asking.
import { useMutation } from "@tanstack/react-query"
import { removeLimits } from "../../api/downstreams.ts"
import { refreshQueues } from "../../api/query-client.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { say } from "../../kit/toast.tsx"

export function RemoveLimits({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const act = useMutation({
    mutationFn: () => removeLimits(name),
    onSuccess: async () => {
      await refreshQueues()
      onClose()
      say(`Removed the limits of ${name}.`)
    },
  })
  return (
    <ActionDialog
      title={`Remove the limits of ${name}`}
      verb="Remove limits"
      danger
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      <p>Its jobs are handed out as fast as workers ask for them, from the next claim on.</p>
    </ActionDialog>
  )
}
