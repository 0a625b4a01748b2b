// Asks before a parked event is replayed or discarded.

import { useMutation } from "@tanstack/react-query"
import { discardEvent, type ParkedEvent, replayEvent } from "../../api/events.ts"
import { refreshLive } from "../../api/query-client.ts"
import { Words } from "../../kit/cut-text.tsx"
import { ActionDialog } from "../../kit/dialog.tsx"
import { say } from "../../kit/toast.tsx"

export interface Asked {
  readonly action: "replay" | "discard"
  readonly event: ParkedEvent
}

export function ParkedDialog({ asked, onClose }: { readonly asked: Asked; readonly onClose: () => void }) {
  const { action, event } = asked
  const { verb, done, meaning } = WORDS[action]
  const change = useMutation({
    mutationFn: async () => void (await (action === "replay" ? replayEvent(event) : discardEvent(event))),
    onSuccess: () => {
      say(`${done} ${event.type}`)
      onClose()
    },
    onSettled: refreshLive,
  })
  return (
    <ActionDialog
      title={`${verb} this event?`}
      verb={`${verb} it`}
      danger={action === "discard"}
      busy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <div className="bg-sunken min-w-0 rounded-md px-3 py-2">
        <p className="font-medium">
          {event.type} for {event.sink}
        </p>
        <p className="text-bad">
          <Words text={event.reason} />
        </p>
      </div>
      <p className="text-muted">{meaning}</p>
    </ActionDialog>
  )
}

const WORDS = {
  replay: {
    verb: "Replay",
    done: "Replayed",
    meaning: "It is sent again at once, with all its tries. When the sink has taken it, those behind it follow.",
  },
  discard: {
    verb: "Discard",
    done: "Discarded",
    meaning: "This sink will never be sent it, and those behind it follow at once. That you discarded it is kept.",
  },
} as const
