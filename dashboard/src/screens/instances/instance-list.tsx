// One page of instances: how many there are, the table, what is ticked in it, and the way to the next page.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Bulk } from "../../api/bulk.ts"
import type { InstanceFilter } from "../../api/filters/instance-filter.ts"
import { instancesQuery } from "../../api/instances.ts"
import { useMay } from "../../api/session.ts"
import { LinkButton } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { count } from "../../kit/numbers.ts"
import { Card } from "../../kit/page.tsx"
import { Pager } from "../../kit/pager.tsx"
import { useRowKeys } from "../../kit/row-keys.ts"
import { selectionColumn, useTicks } from "../../kit/selection.tsx"
import { Empty, ErrorNote, Loading } from "../../kit/states.tsx"
import { Table } from "../../kit/table.tsx"
import { startCall } from "../overview/first-steps.ts"
import { MatchingActions, SelectedActions } from "./bulk-actions.tsx"
import { columnsOf, nameOf } from "./instance-columns.tsx"
import { isFiltered } from "./search.ts"

interface Props {
  readonly filter: InstanceFilter
  readonly cursor: string | undefined
  readonly onBulk: (bulk: Bulk) => void
  /** Rows were changed: they are to be read again. */
  readonly onChanged: () => void
}

export function InstanceList({ filter, cursor, onBulk, onChanged }: Props) {
  const ticks = useTicks(JSON.stringify([filter, cursor]))
  const { data, error, isPlaceholderData } = useQuery({
    ...instancesQuery(filter, cursor),
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
  const list = useRowKeys()
  const mayWrite = useMay("instances:write")
  const isTicked = selection.rows.length > 0
  // Where nothing has ever been started there is nothing to do to all of it.
  const isBare = data?.items.length === 0 && !isFiltered(filter) && cursor === undefined
  const facts = columnsOf(filter.status)
  const columns = mayWrite ? [selectionColumn(selection, items.length, nameOf), ...facts] : facts
  return (
    <Card
      flush
      title={
        isTicked
          ? `${count(selection.rows.length)} selected`
          : data && !isBare && totalText(data.total, data.totalIsExact)
      }
      actions={
        mayWrite &&
        !error &&
        !isBare &&
        (isTicked ? (
          <SelectedActions rows={selection.rows} onDone={done} onClear={selection.clear} />
        ) : (
          <MatchingActions filter={filter} isEmpty={data?.total === 0} onStarted={onBulk} />
        ))
      }
    >
      {error && <ListError error={error} />}
      {!data && !error && <Loading />}
      <div ref={list} className={cx("[&_tbody_tr]:cursor-pointer", isPlaceholderData && "opacity-60")}>
        {items.length > 0 && (
          <Table caption="Instances" columns={columns} rows={items} keyOf={({ id }) => id} isMarked={selection.has} />
        )}
      </div>
      {data && items.length === 0 && <Nothing isFiltered={isFiltered(filter)} isLater={cursor !== undefined} />}
      <Pager label="Pages of instances" cursor={cursor} next={data?.nextCursor} />
    </Card>
  )
}

const totalText = (total: number, isExact: boolean): string =>
  `${count(total, isExact)} ${total === 1 ? "instance" : "instances"}`

const ListError = ({ error }: { readonly error: unknown }) => (
  <div className="px-4 pb-4">
    <ErrorNote error={error} />
  </div>
)

function Nothing({ isFiltered, isLater }: { readonly isFiltered: boolean; readonly isLater: boolean }) {
  if (isLater) return <Empty title="There is nothing on this page any more." />
  if (isFiltered)
    return (
      <Empty title="No instance matches this filter.">
        <Link to="/instances">Show all instances</Link>
      </Empty>
    )
  return (
    <Empty
      title="No instance has been started yet."
      code={startCall(location.origin, "hello")}
      action={<LinkButton to="/definitions">Choose a definition to start</LinkButton>}
    >
      An instance is one run of a definition. Each one that is started is listed here, with where it stands.
    </Empty>
  )
}
