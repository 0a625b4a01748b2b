// One page of dead letters, newest first, and what can be done to many of them.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { Bulk } from "../../api/bulk.ts"
import { deadLettersQuery } from "../../api/dead-letters.ts"
import type { DeadLetterFilter } from "../../api/filters/dead-letter-filter.ts"
import { useOverview } from "../../api/live.ts"
import { useMay } from "../../api/session.ts"
import { cx } from "../../kit/classes.ts"
import { count } from "../../kit/numbers.ts"
import { Pager } from "../../kit/pager.tsx"
import { useRowKeys } from "../../kit/row-keys.ts"
import { selectionColumn, useTicks } from "../../kit/selection.tsx"
import { Empty, ErrorNote, Loading } from "../../kit/states.tsx"
import { Table } from "../../kit/table.tsx"
import { columnsOf, nameOf } from "./letter-columns.tsx"
import { MatchingActions } from "./matching-actions.tsx"
import { NoDeadLetters } from "./nothing.tsx"
import { isFiltered } from "./search.ts"
import { SelectedActions } from "./selected-actions.tsx"

interface Props {
  readonly filter: DeadLetterFilter
  readonly cursor: string | undefined
  /** The one that is looked at. */
  readonly open: string | undefined
  readonly onBulk: (bulk: Bulk) => void
  readonly onChanged: () => void
}

export function Letters({ filter, cursor, open, onBulk, onChanged }: Props) {
  const ticks = useTicks(JSON.stringify([filter, cursor]))
  const { data, error, isPlaceholderData } = useQuery({
    ...deadLettersQuery(filter, cursor),
    placeholderData: keepPreviousData,
    meta: { live: !ticks.hasAny },
    ...(ticks.hasAny ? { refetchInterval: false as const } : {}),
  })
  const items = data?.items ?? []
  const selection = ticks.of(items)
  const done = () => {
    selection.clear()
    onChanged()
  }
  // While one is looked at, j and k look at the next and the one before.
  const list = useRowKeys((link) => open !== undefined && link.click())
  const mayWrite = useMay("jobs:write")
  const columns = columnsOf(open)
  return (
    <>
      {mayWrite && items.length > 0 && (
        <div className="flex min-h-12 flex-wrap items-center justify-end gap-2 px-4 pt-3 pb-1">
          {selection.rows.length > 0 ? (
            <>
              <p className="mr-auto font-semibold">{count(selection.rows.length)} selected</p>
              <SelectedActions rows={selection.rows} onDone={done} onClear={selection.clear} />
            </>
          ) : (
            <>
              {!isFiltered(filter) && <Total />}
              <MatchingActions
                which={isFiltered(filter) ? "matching" : "all"}
                filter={filter}
                error={filter.error === undefined ? undefined : items[0]?.error}
                onStarted={onBulk}
              />
            </>
          )}
        </div>
      )}
      <div className="empty:hidden px-4 pt-3">
        <ErrorNote error={error} />
      </div>
      {!data && !error && <Loading />}
      <div ref={list} className={cx("[&_tbody_tr]:cursor-pointer", isPlaceholderData && "opacity-60")}>
        {items.length > 0 && (
          <Table
            caption="Dead letters"
            columns={mayWrite ? [selectionColumn(selection, items.length, nameOf), ...columns] : columns}
            rows={items}
            keyOf={({ id }) => id}
            isMarked={(row) => selection.has(row) || row.id === open || row.job_id === open}
          />
        )}
      </div>
      {data &&
        items.length === 0 &&
        (cursor === undefined ? (
          <NoDeadLetters isFiltered={isFiltered(filter)} />
        ) : (
          <Empty title="There is nothing on this page any more." />
        ))}
      <Pager label="Pages of dead letters" cursor={cursor} next={data?.next_cursor} />
    </>
  )
}

/** The number of all dead letters. Those that match a filter are counted only when they are to be changed. */
function Total() {
  const overview = useOverview()
  if (!overview) return null
  const { deadLetters, deadLettersAreExact } = overview
  return (
    <p className="mr-auto font-semibold">
      {count(deadLetters, deadLettersAreExact)} {deadLetters === 1 ? "dead letter" : "dead letters"}
    </p>
  )
}
