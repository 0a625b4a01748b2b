// Replay or discard the dead letters that are ticked.
import { useState } from "react"
import { type DeadLetter, discardDeadLetter, replayDeadLetter } from "../../api/dead-letters.ts"
import { BulkRowsDialog } from "../../kit/bulk/bulk-rows.tsx"
import { Button } from "../../kit/button.tsx"
import { count } from "../../kit/numbers.ts"
import { nameOf } from "./letter-columns.tsx"
import { MEANINGS } from "./words.ts"

interface Props {
  readonly rows: readonly DeadLetter[]
  readonly onDone: () => void
  readonly onClear: () => void
}

export function SelectedActions({ rows, onDone, onClear }: Props) {
  const [action, setAction] = useState<"replay" | "discard">()
  return (
    <>
      <Button onClick={() => setAction("replay")}>Replay {count(rows.length)}</Button>
      <Button look="danger" onClick={() => setAction("discard")}>
        Discard {count(rows.length)}
      </Button>
      <Button look="quiet" onClick={onClear}>
        Clear selection
      </Button>
      {action && (
        <BulkRowsDialog
          action={action}
          things="dead letter"
          rows={rows.map((row) => ({ id: row.id, name: nameOf(row) }))}
          act={(id) => (action === "replay" ? replayDeadLetter(id) : discardDeadLetter(id))}
          onClose={(wasRun) => {
            setAction(undefined)
            if (wasRun) onDone()
          }}
        >
          {MEANINGS[action]}
        </BulkRowsDialog>
      )}
    </>
  )
}
