// The columns of the list of dead letters.
import { Link } from "@tanstack/react-router"
import type { DeadLetter } from "../../api/dead-letters.ts"
import { CutName, firstLine } from "../../kit/cut-text.tsx"
import { InstanceHead, InstanceLink } from "../../kit/names/instance-cell.tsx"
import { count } from "../../kit/numbers.ts"
import { ROW_LINK } from "../../kit/row-keys.ts"
import { Standing } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import { namesOfLetter, REASONS } from "./words.ts"

export const nameOf = ({ type, error }: DeadLetter): string => `${type}: ${firstLine(error)}`

/** Beside one that is open there is room for what tells them apart. */
const BESIDE: ReadonlySet<string> = new Set(["Error", "Instance", "Died"])

export const columnsOf = (open: string | undefined): readonly Column<DeadLetter>[] =>
  open === undefined ? allColumns(open) : allColumns(open).filter(({ name }) => BESIDE.has(name))

/** One is looked at already: the next takes its place in the history. */
const allColumns = (open: string | undefined): readonly Column<DeadLetter>[] => [
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
  {
    name: "Instance",
    head: <InstanceHead />,
    className: "max-w-48 min-w-28",
    cell: (letter) => <InstanceOf letter={letter} />,
  },
  { name: "Reason", cell: ({ reason }) => <Standing tone="bad">{REASONS[reason]}</Standing> },
  { name: "Attempts", align: "right", cell: ({ attempts }) => count(attempts) },
  { name: "Died", className: "min-w-24", cell: ({ dead_at }) => <Ago at={dead_at} /> },
]

function InstanceOf({ letter }: { readonly letter: DeadLetter }) {
  const { instance_id: id, step_id } = letter
  if (id !== undefined) return <InstanceLink instance={{ id, ...namesOfLetter(letter) }} step={step_id} />
  // A standalone job has a key of its own.
  if (letter.key !== undefined) return <CutName text={letter.key} className="font-medium" />
  return <span className="text-muted">–</span>
}

const sourceText = ({ source, definition_id, step_id }: DeadLetter): string =>
  source === "job" ? "standalone job" : `${definition_id} · ${step_id}`
