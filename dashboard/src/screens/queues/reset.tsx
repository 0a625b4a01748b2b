// Back to the configuration, after asking.
import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { refreshQueues } from "../../api/query-client.ts"
import { resetWatermarks } from "../../api/watermarks.ts"
import { resetWeights } from "../../api/weights.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { say } from "../../kit/toast.tsx"

interface Props {
  readonly onDone: () => void
  readonly onClose: () => void
}

interface ResetProps extends Props {
  readonly what: string
  readonly reset: () => Promise<unknown>
  readonly children: ReactNode
}

function Reset({ what, reset, children, onDone, onClose }: ResetProps) {
  const act = useMutation({
    mutationFn: reset,
    onSuccess: async () => {
      await refreshQueues()
      onDone()
      onClose()
      say(`Reset the ${what} to the configuration.`)
    },
  })
  return (
    <ActionDialog
      title={`Reset the ${what}`}
      verb="Reset"
      danger
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      {children}
    </ActionDialog>
  )
}

export const ResetWeights = (props: Props) => (
  <Reset what="weights" reset={resetWeights} {...props}>
    <p>The shares of all three priorities go back to what the engine was configured with, from the next claim on.</p>
  </Reset>
)

export const ResetWatermarks = (props: Props) => (
  <Reset what="watermarks" reset={resetWatermarks} {...props}>
    <p>
      The marks of all three priorities and of the total go back to what the engine was configured with. A gate may open
      or shut at once.
    </p>
  </Reset>
)
