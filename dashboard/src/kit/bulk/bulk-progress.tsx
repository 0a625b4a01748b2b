// How far a bulk operation is, until it is over. It goes on by itself, and its address shows it again.
import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { type Bulk, bulkQuery } from "../../api/bulk.ts"
import { Button } from "../button.tsx"
import { count } from "../numbers.ts"
import { Card } from "../page.tsx"
import { Progress } from "../progress.tsx"
import { Loaded } from "../states.tsx"
import { say } from "../toast.tsx"
import { PAST, PRESENT, pluralOf, type Things } from "./bulk-words.ts"

interface Props {
  readonly id: string
  readonly things: Things
  readonly onDismiss: () => void
  /** Once, when it ends while the page is open. */
  readonly onEnd: () => void
}

export function BulkProgress({ id, things, onDismiss, onEnd }: Props) {
  const query = useQuery(bulkQuery(id))
  useEnd(query.data, (bulk) => {
    say(`${PAST[bulk.action]} ${pluralOf(things, bulk.done)}`)
    onEnd()
  })
  return (
    <Card
      title={query.data ? titleOf(query.data, things) : "Bulk operation"}
      actions={
        <Button look="quiet" onClick={onDismiss}>
          Dismiss
        </Button>
      }
    >
      <Loaded query={query}>{(bulk) => <Counts bulk={bulk} />}</Loaded>
    </Card>
  )
}

const titleOf = ({ action, finished, matched, done }: Bulk, things: Things): string =>
  finished ? `${PAST[action]} ${pluralOf(things, done)}` : `${PRESENT[action]} ${pluralOf(things, matched)}`

function Counts({ bulk }: { readonly bulk: Bulk }) {
  const { action, matched, done, failed, finished } = bulk
  const others = matched - done - failed
  return (
    <div className="flex flex-col gap-2">
      <Progress
        label="Progress"
        value={finished ? matched : done + failed}
        max={matched}
        tone={failed > 0 ? "warn" : "accent"}
      />
      <p role="status" className="text-muted flex flex-wrap gap-x-4 gap-y-1">
        <span>
          {count(done)} of {count(matched)} {PAST[action].toLowerCase()}
        </span>
        {failed > 0 && <span className="text-warn">{count(failed)} could not be: they had changed meanwhile</span>}
        {finished && others > 0 && <span>{count(others)} were dealt with by others meanwhile</span>}
        {!finished && <span>You may leave: it goes on, and this address brings you back to it.</span>}
      </p>
    </div>
  )
}

/** One that was over already when it was first seen is no news. */
function useEnd(bulk: Bulk | undefined, onEnd: (bulk: Bulk) => void): void {
  const running = useRef<string>(undefined)
  useEffect(() => {
    if (!bulk) return
    if (!bulk.finished) running.current = bulk.id
    else if (running.current === bulk.id) {
      running.current = undefined
      onEnd(bulk)
    }
  })
}
