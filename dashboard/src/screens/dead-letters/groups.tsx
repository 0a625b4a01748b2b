// Dead letters by their error: like errors together, the most frequent first.
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Bulk } from "../../api/bulk.ts"
import { type DeadGroup, type DeadPeriod, deadGroupsQuery } from "../../api/dead-letters.ts"
import type { DeadRange } from "../../api/filters/dead-letter-filter.ts"
import { useMay } from "../../api/session.ts"
import { Sparkline } from "../../chart/sparkline.tsx"
import { firstLine, Words } from "../../kit/cut-text.tsx"
import { count } from "../../kit/numbers.ts"
import { ROW_LINK, useRowKeys } from "../../kit/row-keys.ts"
import { Loaded } from "../../kit/states.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago, fullTime } from "../../kit/time.tsx"
import { overTimeText, sourcesText } from "./group-words.ts"
import { MatchingActions } from "./matching-actions.tsx"
import { NoDeadLetters } from "./nothing.tsx"
import { isFiltered } from "./search.ts"

interface Props {
  readonly range: DeadRange
  readonly onBulk: (bulk: Bulk) => void
}

export function Groups({ range, onBulk }: Props) {
  const query = useQuery({ ...deadGroupsQuery(range), meta: { live: true } })
  const list = useRowKeys()
  const mayWrite = useMay("jobs:write")
  return (
    <div ref={list} className="[&_tbody_tr]:cursor-pointer">
      <Loaded query={query}>
        {({ items, is_complete, period }) =>
          items.length === 0 ? (
            <NoDeadLetters isFiltered={isFiltered(range)} />
          ) : (
            <>
              <Table
                caption="Dead letters by error"
                columns={[...columnsOf(range, period), ...(mayWrite ? [actionsColumn(range, onBulk)] : [])]}
                rows={items}
                keyOf={({ fingerprint }) => fingerprint}
              />
              {!is_complete && (
                <p className="text-muted border-line border-t px-4 py-2.5 text-xs">
                  There are many: these are the errors of the newest 10,000. Errors of older ones alone may be missing.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </div>
  )
}

const columnsOf = (range: DeadRange, period: DeadPeriod | undefined): readonly Column<DeadGroup>[] => [
  {
    name: "Count",
    align: "right",
    cell: (group) => <span className="font-semibold">{count(group.count, group.count_is_exact)}</span>,
  },
  {
    name: "Error",
    className: "w-full max-w-0 min-w-56",
    cell: ({ fingerprint, error, ...group }) => (
      <>
        <Link
          to="/dead-letters"
          search={{ view: "list", failure: fingerprint, ...range }}
          title={error}
          className="text-text line-clamp-2"
          {...ROW_LINK}
        >
          <Words text={firstLine(error)} />
        </Link>
        <span className="text-muted block truncate text-xs" title={sourcesText(group)}>
          {sourcesText(group)}
        </span>
      </>
    ),
  },
  {
    name: "Over time",
    cell: ({ over_time = [] }) => (
      <div className="w-28" title={period && `From ${fullTime(period.since)} to ${fullTime(period.until)}`}>
        <Sparkline values={over_time} tone="bad" />
        <span className="sr-only">{overTimeText(over_time)}</span>
      </div>
    ),
  },
  { name: "First", cell: ({ first_at }) => <Ago at={first_at} /> },
  { name: "Newest", cell: ({ last_at }) => <Ago at={last_at} /> },
]

const actionsColumn = (range: DeadRange, onBulk: (bulk: Bulk) => void): Column<DeadGroup> => ({
  name: "actions",
  head: <span className="sr-only">Actions</span>,
  cell: ({ fingerprint, error }) => (
    <div className="flex justify-end gap-1.5">
      <MatchingActions
        small
        which="all"
        error={firstLine(error)}
        filter={{ error: fingerprint, ...range }}
        onStarted={onBulk}
      />
    </div>
  ),
})
