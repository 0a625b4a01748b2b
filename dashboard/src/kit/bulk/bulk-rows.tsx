// Asks before something is done to the rows that are ticked, then does it row by row and names those that were refused.

import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { BulkAction } from "../../api/bulk.ts"
import { Button } from "../button.tsx"
import { CutName, Words } from "../cut-text.tsx"
import { ActionDialog, Dialog } from "../dialog.tsx"
import { Progress } from "../progress.tsx"
import { say } from "../toast.tsx"
import { ReasonField } from "./bulk-reason.tsx"
import { isDestructive, PAST, pluralOf, type Things, VERB } from "./bulk-words.ts"

interface Row {
  readonly id: string
  readonly name: string
}

interface Props {
  readonly action: BulkAction
  readonly things: Things
  readonly rows: readonly Row[]
  readonly act: (id: string, reason: string | undefined) => Promise<unknown>
  /** Whether anything was done, or they only looked. What was refused has been read by then. */
  readonly onClose: (wasRun: boolean) => void
  readonly asksReason?: boolean
  readonly children: ReactNode
}

interface Refused extends Row {
  readonly why: string
}

const AT_ONCE = 4

export function BulkRowsDialog({ action, things, rows, act, onClose, asksReason = false, children }: Props) {
  // What is ticked now: rows that leave the list while they are worked off stay in the count.
  const [wanted] = useState(rows)
  const [ended, setEnded] = useState(0)
  const [reason, setReason] = useState("")
  const run = useMutation({
    mutationFn: () =>
      actOnAll(wanted, (id) => act(id, reason.trim() || undefined).finally(() => setEnded((n) => n + 1))),
    onSuccess: (refused) => {
      say(`${PAST[action]} ${pluralOf(things, wanted.length - refused.length)}`)
      if (refused.length === 0) onClose(true)
    },
  })
  const label = `${VERB[action]} ${pluralOf(things, wanted.length)}`
  if (run.data && run.data.length > 0)
    return <RefusedDialog refused={run.data} things={things} onClose={() => onClose(true)} />
  return (
    <ActionDialog
      title={label}
      verb={label}
      danger={isDestructive(action)}
      busy={run.isPending}
      error={run.error}
      onConfirm={() => run.mutate()}
      onClose={() => onClose(run.isPending)}
    >
      <ul className="bg-sunken max-h-40 overflow-y-auto rounded-md px-3 py-2">
        {wanted.map(({ id, name }) => (
          <li key={id} className="truncate" title={name}>
            {name}
          </li>
        ))}
      </ul>
      <div className="text-muted">{children}</div>
      {asksReason && <ReasonField value={reason} onChange={setReason} />}
      {run.isPending && <Progress label="Progress" value={ended} max={wanted.length} />}
    </ActionDialog>
  )
}

/** A few at a time, each by itself: one that is refused holds up no other. */
async function actOnAll(rows: readonly Row[], act: (id: string) => Promise<unknown>): Promise<readonly Refused[]> {
  const waiting = [...rows]
  const refused: Refused[] = []
  const worker = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const { id, name } = row
      await act(id).catch((error: Error) => refused.push({ id, name, why: error.message }))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return refused
}

interface RefusedProps {
  readonly refused: readonly Refused[]
  readonly things: Things
  readonly onClose: () => void
}

const RefusedDialog = ({ refused, things, onClose }: RefusedProps) => (
  <Dialog title={`${pluralOf(things, refused.length)} could not be changed`} onClose={onClose}>
    <ul className="flex flex-col gap-2">
      {refused.map(({ id, name, why }) => (
        <li key={id} className="min-w-0">
          <CutName text={name} className="font-medium" />
          <p className="text-bad">
            <Words text={why} />
          </p>
        </li>
      ))}
    </ul>
    <div className="mt-4 flex justify-end">
      <Button onClick={onClose}>Close</Button>
    </div>
  </Dialog>
)
