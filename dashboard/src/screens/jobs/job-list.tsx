// One page of live jobs of one status.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type LiveJobFilter, type LiveStatus, liveJobsQuery } from "../../api/job-lists/live-jobs.ts"
import { useMay } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { Pager } from "../../kit/pager.tsx"
import { useRowKeys } from "../../kit/row-keys.ts"
import { Empty, ErrorNote, Loading } from "../../kit/states.tsx"
import { Table } from "../../kit/table.tsx"
import { enqueueCall } from "./enqueue-call.ts"
import { columnsOf } from "./job-columns.tsx"

interface Props {
  readonly filter: LiveJobFilter & { readonly status: LiveStatus }
  readonly cursor: string | undefined
  readonly onEnqueue: () => void
}

const ORDER: Readonly<Record<LiveStatus, string>> = {
  ready: "who came into line first",
  leased: "whose lease ends first",
  delayed: "who is due first",
  held: "the first of those that wait for a signal or a limit",
}

export function JobList({ filter, cursor, onEnqueue }: Props) {
  const { data, error, isPlaceholderData } = useQuery({
    ...liveJobsQuery(filter, cursor),
    placeholderData: keepPreviousData,
    meta: { live: true },
  })
  const list = useRowKeys()
  const { items = [], nextCursor } = data ?? {}
  // What is shown while another status is read is of the one before.
  const shown = items[0]?.status ?? filter.status
  return (
    <>
      {error && (
        <div className="p-4">
          <ErrorNote error={error} />
        </div>
      )}
      {!data && !error && <Loading />}
      <div ref={list} className={cx("[&_tbody_tr]:cursor-pointer", isPlaceholderData && "opacity-60")}>
        {items.length > 0 && (
          <Table caption={`Jobs, ${ORDER[shown]}`} columns={columnsOf(shown)} rows={items} keyOf={({ id }) => id} />
        )}
      </div>
      {data && items.length === 0 && (
        <Nothing
          filter={filter}
          hasMore={nextCursor !== undefined}
          isLater={cursor !== undefined}
          onEnqueue={onEnqueue}
        />
      )}
      <Pager label="Pages of jobs" cursor={cursor} next={nextCursor} />
    </>
  )
}

const NONE: Readonly<Record<LiveStatus, readonly [string, string]>> = {
  ready: ["No job waits for a worker.", "A job is here from when it is due until a worker claims it."],
  leased: ["No worker has a job.", "A job is here while a worker has it: its lease says for how long."],
  delayed: [
    "No job waits for a time.",
    "Jobs with a delay are here until they are due, runs that sleep until they wake, and what failed until its retry.",
  ],
  held: ["No job is held back.", "Jobs with a limit are here until it is their turn, and runs that wait for a signal."],
}

interface NothingProps extends Pick<Props, "filter" | "onEnqueue"> {
  readonly hasMore: boolean
  readonly isLater: boolean
}

function Nothing({ filter: { status, ...narrower }, hasMore, isLater, onEnqueue }: NothingProps) {
  const may = useMay("jobs:write")
  const lookedAt = narrower.keyPrefix === undefined ? "10,000 jobs" : "1,000 keys"
  if (hasMore) return <Empty title={`None of the ${lookedAt} looked at matches. There may be some on the next page.`} />
  if (isLater) return <Empty title="There is nothing on this page any more." />
  const [title, explanation] = NONE[status]
  const isFiltered = Object.values(narrower).some((value) => value !== undefined)
  return (
    <Empty
      title={isFiltered ? "No such job matches this filter." : title}
      code={isFiltered ? undefined : enqueueCall(location.origin)}
      action={may && <Button onClick={onEnqueue}>Enqueue one</Button>}
    >
      {explanation}
    </Empty>
  )
}
