// Replay or discard one dead letter, after asking.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { type DeadLetterDetail, discardDeadLetter, replayDeadLetter } from "../../api/dead-letters.ts"
import { Button } from "../../kit/button.tsx"
import { CutName, CutText } from "../../kit/cut-text.tsx"
import { ActionDialog } from "../../kit/dialog.tsx"
import { useKeys } from "../../kit/keys.ts"
import { say } from "../../kit/toast.tsx"

export interface Replayed {
  readonly letter: DeadLetterDetail
  /** None where its instance failed again before there was one. */
  readonly jobId: string | undefined
}

interface Props {
  readonly letter: DeadLetterDetail
  readonly onReplayed: (replayed: Replayed) => void
  /** Absent where discarding is not offered. */
  readonly onDiscarded?: () => void
}

export function LetterActions({ letter, onReplayed, onDiscarded }: Props) {
  const [asked, setAsked] = useState<"replay" | "discard">()
  const replay = useMutation({
    mutationFn: () => replayDeadLetter(letter.id),
    onSuccess: ({ job_id }) => {
      say(`Replayed ${letter.type}`)
      onReplayed({ letter, jobId: job_id })
    },
  })
  const discard = useMutation({
    mutationFn: () => discardDeadLetter(letter.id),
    onSuccess: () => {
      say(`Discarded ${letter.type}`)
      onDiscarded?.()
    },
  })
  const action = asked === "discard" ? discard : replay
  useKeys({ r: () => setAsked("replay"), ...(onDiscarded ? { d: () => setAsked("discard") } : {}) })
  return (
    <div className="flex gap-2">
      <Button look="primary" title="Replay (r)" onClick={() => setAsked("replay")}>
        Replay
      </Button>
      {onDiscarded && (
        <Button look="danger" title="Discard (d)" onClick={() => setAsked("discard")}>
          Discard
        </Button>
      )}
      {asked && (
        <ActionDialog
          title={asked === "replay" ? "Replay this dead letter?" : "Discard this dead letter?"}
          verb={asked === "replay" ? "Replay it" : "Discard it"}
          danger={asked === "discard"}
          busy={action.isPending}
          error={action.error}
          onConfirm={() => action.mutate()}
          onClose={() => {
            action.reset()
            setAsked(undefined)
          }}
        >
          <div className="bg-sunken min-w-0 rounded-md px-3 py-2">
            <CutName text={letter.type} className="font-medium" />
            <CutText text={letter.error} className="text-bad" />
          </div>
          <p className="text-muted">{meaningOf(asked, letter)}</p>
        </ActionDialog>
      )}
    </div>
  )
}

function meaningOf(action: "replay" | "discard", { source, step_id }: DeadLetterDetail): string {
  if (action === "discard")
    return `It is given up for good: ${source === "job" ? "the job" : "the instance"} stays failed. That you discarded it is kept.`
  return source === "job"
    ? "It goes back to its queue as a new job with its full budget of retries, however full the queue is. The new job remembers this one as its ancestor."
    : `The step ${step_id} is retried with a new budget of retries, and its instance goes on from there.`
}
