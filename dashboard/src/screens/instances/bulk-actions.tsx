// What can be done to many instances: to the ticked ones, or to all that match the filter.
import { useState } from "react"
import type { Bulk } from "../../api/bulk.ts"
import { atThisMoment, type InstanceFilter } from "../../api/filters/instance-filter.ts"
import { cancelInstance, type Instance, isLive, retryInstance, startInstanceBulk } from "../../api/instances.ts"
import { BulkDialog } from "../../kit/bulk/bulk-dialog.tsx"
import { BulkRowsDialog } from "../../kit/bulk/bulk-rows.tsx"
import { Button } from "../../kit/button.tsx"
import { count } from "../../kit/numbers.ts"
import { nameOf } from "./instance-columns.tsx"
import { INSTANCE_VIEWS } from "./instance-filters.ts"
import { isFiltered } from "./search.ts"

type Action = "cancel" | "retry"

const MEANINGS: Readonly<Record<Action, string>> = {
  cancel: "Every live one stops where it is, for good. Jobs that workers hold end without effect.",
  retry:
    "Every failed one goes on at the step that failed, with a new budget of retries. What was done before it stays.",
}

interface MatchingProps {
  readonly filter: InstanceFilter
  /** Whether the filter matches none. */
  readonly isEmpty: boolean
  readonly onStarted: (bulk: Bulk) => void
}

function refusalOf(filter: InstanceFilter, isEmpty: boolean): string | undefined {
  if (!isFiltered(filter)) return "Set a filter first, so that not everything is changed by mistake"
  return isEmpty ? "No instance matches the filter" : undefined
}

export function MatchingActions({ filter, isEmpty, onStarted }: MatchingProps) {
  const [asked, setAsked] = useState<{ readonly action: Action; readonly filter: InstanceFilter }>()
  const ask = (action: Action) => setAsked({ action, filter: atThisMoment(filter) })
  const refusal = refusalOf(filter, isEmpty)
  const mayRetry = filter.status === undefined || filter.status === "FAILED"
  const mayCancel = filter.status === undefined || isLive({ status: filter.status })
  return (
    <>
      {mayRetry && (
        <Button disabled={refusal !== undefined} title={refusal} onClick={() => ask("retry")}>
          Retry matching
        </Button>
      )}
      {mayCancel && (
        <Button look="danger" disabled={refusal !== undefined} title={refusal} onClick={() => ask("cancel")}>
          Cancel matching
        </Button>
      )}
      {asked && (
        <BulkDialog
          action={asked.action}
          things="instance"
          filter={INSTANCE_VIEWS.lines({ ...filter })}
          asksReason={asked.action === "cancel"}
          start={(request) => startInstanceBulk({ ...asked, ...request })}
          onStarted={(bulk) => {
            setAsked(undefined)
            onStarted(bulk)
          }}
          onClose={() => setAsked(undefined)}
        >
          {MEANINGS[asked.action]}
        </BulkDialog>
      )}
    </>
  )
}

interface SelectedProps {
  readonly rows: readonly Instance[]
  readonly onDone: () => void
  readonly onClear: () => void
}

export function SelectedActions({ rows, onDone, onClear }: SelectedProps) {
  const [asked, setAsked] = useState<{ readonly action: Action; readonly rows: readonly Instance[] }>()
  const failed = rows.filter(({ status }) => status === "FAILED")
  const live = rows.filter(isLive)
  return (
    <>
      {failed.length + live.length === 0 && <p className="text-muted">Only failed and live ones can be changed.</p>}
      {failed.length > 0 && (
        <Button onClick={() => setAsked({ action: "retry", rows: failed })}>Retry {count(failed.length)} failed</Button>
      )}
      {live.length > 0 && (
        <Button look="danger" onClick={() => setAsked({ action: "cancel", rows: live })}>
          Cancel {count(live.length)} live
        </Button>
      )}
      <Button look="quiet" onClick={onClear}>
        Clear selection
      </Button>
      {asked && (
        <BulkRowsDialog
          action={asked.action}
          things="instance"
          rows={asked.rows.map((row) => ({ id: row.id, name: `${nameOf(row)} (${row.definitionId})` }))}
          asksReason={asked.action === "cancel"}
          act={asked.action === "cancel" ? cancelInstance : (id) => retryInstance(id)}
          onClose={(wasRun) => {
            setAsked(undefined)
            if (wasRun) onDone()
          }}
        >
          {MEANINGS[asked.action]}
        </BulkRowsDialog>
      )}
    </>
  )
}
