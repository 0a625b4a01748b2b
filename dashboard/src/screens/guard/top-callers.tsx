// Who calls most, of the replica that answered, and how much of it was refused; each leads to why.
import { Link } from "@tanstack/react-router"
import type { Caller } from "../../api/guard/state.ts"
import { CutName } from "../../kit/cut-text.tsx"
import { count } from "../../kit/numbers.ts"
import { Card } from "../../kit/page.tsx"
import { type Column, Table } from "../../kit/table.tsx"

const SHOWN = 10

interface Props {
  readonly title: string
  readonly callers: readonly Caller[]
  /** Said where there are none. */
  readonly nothing: string
}

export const TopCallers = ({ title, callers, nothing }: Props) => (
  <Card title={title} flush>
    {callers.length === 0 ? (
      <p className="text-muted px-4 pb-4">{nothing}</p>
    ) : (
      <Table caption={title} columns={COLUMNS} rows={callers.slice(0, SHOWN)} keyOf={({ name }) => name} />
    )}
  </Card>
)

/** Asks why it is, or would be, refused; the rest of the address stays. */
export const WhyLink = ({ name }: { readonly name: string }) => (
  <Link
    from="/guard"
    to="/guard"
    search={(search) => ({ ...search, why: name })}
    hash="why"
    title={name}
    className="inline-block max-w-full font-mono text-xs"
  >
    <CutName text={name} />
  </Link>
)

const COLUMNS: readonly Column<Caller>[] = [
  { name: "Name", className: "w-full max-w-0 min-w-32", cell: ({ name }) => <WhyLink name={name} /> },
  { name: "Requests", align: "right", cell: ({ requests }) => count(requests) },
  {
    name: "Refused",
    align: "right",
    cell: ({ refused }) => <span className={refused > 0 ? "text-bad" : "text-muted"}>{count(refused)}</span>,
  },
]
