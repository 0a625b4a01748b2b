// Asks before something is done to all that match a filter: counts them first, by a dry run, and says what will happen.

import { useMutation, useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { Bulk, BulkAction } from "../../api/bulk.ts"
import { Words } from "../cut-text.tsx"
import { ActionDialog } from "../dialog.tsx"
import { ErrorNote } from "../states.tsx"
import { ReasonField } from "./bulk-reason.tsx"
import { isDestructive, pluralOf, type Things, VERB } from "./bulk-words.ts"

export interface BulkStart {
  readonly dryRun: boolean
  readonly reason?: string
}

interface Props {
  readonly action: BulkAction
  readonly things: Things
  /** The filter in words. */
  readonly filter: readonly string[]
  readonly start: (request: BulkStart) => Promise<Bulk>
  readonly onStarted: (bulk: Bulk) => void
  readonly onClose: () => void
  readonly asksReason?: boolean
  /** What it means for each of them. */
  readonly children: ReactNode
}

export function BulkDialog(props: Props) {
  const { action, things, filter, start, onStarted, onClose, asksReason = false, children } = props
  const [reason, setReason] = useState("")
  const preview = useQuery({
    queryKey: ["bulk-preview", action, things, filter],
    queryFn: () => start({ dryRun: true }),
    gcTime: 0,
    refetchInterval: false,
    refetchOnWindowFocus: false,
    retry: false,
  })
  const run = useMutation({
    mutationFn: () => start({ dryRun: false, ...(reason.trim() === "" ? {} : { reason: reason.trim() }) }),
    onSuccess: onStarted,
  })
  const matched = preview.data?.matched
  return (
    <ActionDialog
      title={`${VERB[action]} all ${things}s that match`}
      verb={matched ? `${VERB[action]} ${pluralOf(things, matched)}` : VERB[action]}
      danger={isDestructive(action)}
      busy={run.isPending}
      error={run.error}
      disabled={!matched}
      onConfirm={() => run.mutate()}
      onClose={onClose}
    >
      <ErrorNote error={preview.error} />
      <p role="status" className="text-base font-medium">
        {matched === undefined ? (preview.error ? "" : "Counting…") : matchText(action, things, matched)}
      </p>
      <ul className="bg-sunken flex flex-col gap-0.5 rounded-md px-3 py-2">
        {filter.map((line) => (
          <li key={line}>
            <Words text={line} />
          </li>
        ))}
      </ul>
      <div className="text-muted">{children}</div>
      {asksReason && <ReasonField value={reason} onChange={setReason} />}
    </ActionDialog>
  )
}

const WHICH: Readonly<Record<BulkAction, string>> = {
  cancel: "can be cancelled",
  retry: "can be retried",
  replay: "will be replayed",
  discard: "will be discarded",
}

const matchText = (action: BulkAction, things: Things, matched: number): string =>
  matched === 0 ? `None of them ${WHICH[action]}.` : `${pluralOf(things, matched)} ${WHICH[action]}.`
