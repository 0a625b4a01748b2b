// The audit trail: who did what and when, gapless, a thousand lines at a time.
import { useInfiniteQuery } from "@tanstack/react-query"
import { type AuditLine, auditQuery } from "../../../api/audit.ts"
import { Button } from "../../../kit/button.tsx"
import { CutName } from "../../../kit/cut-text.tsx"
import { count } from "../../../kit/numbers.ts"
import { ErrorNote, Loading } from "../../../kit/states.tsx"
import { type Column, Table } from "../../../kit/table.tsx"
import { fullTime } from "../../../kit/time.tsx"
import type { PanelProps } from "./panel-props.ts"

const COLUMNS: readonly Column<AuditLine>[] = [
  { name: "#", align: "right", cell: ({ seq }) => <span className="text-muted">{seq}</span>, className: "w-12" },
  {
    name: "When",
    cell: ({ at }) => (
      <time dateTime={at} title={at} className="whitespace-nowrap">
        {fullTime(at)}
      </time>
    ),
  },
  { name: "Actor", cell: ({ actor }) => <CutName text={actor} className="max-w-40" /> },
  { name: "What", cell: ({ kind }) => <span className="font-medium whitespace-nowrap">{kindWords(kind)}</span> },
  { name: "Detail", cell: ({ detail }) => <Detail detail={detail} />, className: "w-1/2" },
]

/** `JOB_DISPATCHED` is `Job dispatched`. */
const kindWords = (kind: string): string => kind.charAt(0) + kind.slice(1).toLowerCase().replaceAll("_", " ")

export function AuditPanel({ instance }: PanelProps) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(auditQuery(instance.id))
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  const lines = data.pages.flat()
  return (
    <>
      <Table caption="Audit trail" columns={COLUMNS} rows={lines} keyOf={({ seq }) => String(seq)} />
      {hasNextPage && (
        <div className="border-line flex items-center gap-3 border-t px-4 py-2.5">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show the lines after {count(lines.at(-1)?.seq ?? 0)}
          </Button>
        </div>
      )}
    </>
  )
}

function Detail({ detail }: { readonly detail: AuditLine["detail"] }) {
  const facts = Object.entries(detail)
  if (facts.length === 0) return null
  return (
    <dl className="flex min-w-48 flex-wrap gap-x-3 text-xs">
      {facts.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-muted inline">{name} </dt>
          <dd className="inline font-mono">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
