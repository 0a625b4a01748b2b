// The columns of the list of dead letters.
import { Link } from "@tanstack/react-router"
import type { DeadLetter } from "../../api/dead-letters.ts"
import { CutName, firstLine } from "../../kit/cut-text.tsx"
import { count } from "../../kit/numbers.ts"
import { ROW_LINK } from "../../kit/row-keys.ts"
import { Standing } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import { REASONS } from "./words.ts"

export const nameOf = ({ type, error }: DeadLetter): string => `${type}: ${firstLine(error)}`

/** One is looked at already: the next takes its place in the history. */
export const columnsOf = (open: string | undefined): readonly Column<DeadLetter>[] => [
  {
    name: "Error",
    className: "w-full max-w-0 min-w-56",
    cell: ({ id, job_id, error }) => (
      <Link
        from="/dead-letters"
        to="/dead-letters"
        search={(before) => ({ ...before, letter: id })}
        state
        replace={open !== undefined}
        resetScroll={false}
        title={error}
        aria-current={open === id || open === job_id ? "true" : undefined}
        className="text-text block truncate"
        {...ROW_LINK}
      >
        {firstLine(error)}
      </Link>
    ),
  },
  { name: "Type", className: "max-w-40 font-medium", cell: ({ type }) => <CutName text={type} /> },
  { name: "Of", className: "max-w-48", cell: (letter) => <CutName text={sourceText(letter)} className="text-muted" /> },
  { name: "Reason", cell: ({ reason }) => <Standing tone="bad">{REASONS[reason]}</Standing> },
  { name: "Attempts", align: "right", cell: ({ attempts }) => count(attempts) },
  { name: "Died", className: "min-w-24", cell: ({ dead_at }) => <Ago at={dead_at} /> },
]

const sourceText = ({ source, definition_id, step_id }: DeadLetter): string =>
  source === "job" ? "standalone job" : `${definition_id} · ${step_id}`
