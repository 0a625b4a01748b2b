// Replay or discard all dead letters that match a filter, after a look at how many they are.
import { useState } from "react"
import type { Bulk } from "../../api/bulk.ts"
import { startDeadLetterBulk } from "../../api/dead-letters.ts"
import { atThisMoment, type DeadLetterFilter } from "../../api/filters/dead-letter-filter.ts"
import { BulkDialog } from "../../kit/bulk/bulk-dialog.tsx"
import { Button } from "../../kit/button.tsx"
import { isFiltered } from "./search.ts"
import { filterWords, MEANINGS } from "./words.ts"

type Action = "replay" | "discard"

interface Props {
  readonly filter: DeadLetterFilter
  /** What the buttons say after their verb. */
  readonly which: string
  /** An example, where the filter is about one error. */
  readonly error?: string
  /** In a row of a table. */
  readonly small?: boolean
  readonly onStarted: (bulk: Bulk) => void
}

export function MatchingActions({ filter, which, error, small = false, onStarted }: Props) {
  const [asked, setAsked] = useState<{ readonly action: Action; readonly filter: DeadLetterFilter }>()
  const ask = (action: Action) => setAsked({ action, filter: atThisMoment(filter) })
  const size = small ? "px-2 py-1 text-xs" : ""
  const name = small && error ? `: ${error}` : ""
  return (
    <>
      <Button className={size} aria-label={`Replay ${which}${name}`} onClick={() => ask("replay")}>
        Replay {which}
      </Button>
      <Button
        look="danger"
        className={size}
        aria-label={`Discard ${which}${name}`}
        disabled={!isFiltered(filter)}
        title={isFiltered(filter) ? undefined : "Set a filter first: what is discarded by mistake is gone"}
        onClick={() => ask("discard")}
      >
        Discard {which}
      </Button>
      {asked && (
        <BulkDialog
          action={asked.action}
          things="dead letter"
          filter={filterWords(filter, error)}
          start={({ dryRun }) => startDeadLetterBulk({ ...asked, dryRun })}
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
