// Dead letters: jobs that were given up, by their error or one by one, and the way back for them.
import { getRouteApi } from "@tanstack/react-router"
import { DEAD_LETTERS } from "../../api/dead-letters.ts"
import { queryClient } from "../../api/query-client.ts"
import { BulkProgress } from "../../kit/bulk/bulk-progress.tsx"
import { FilterChips } from "../../kit/filters/filter-chips.tsx"
import { SaveViewButton, ViewBar } from "../../kit/filters/view-bar.tsx"
import { Card, Page } from "../../kit/page.tsx"
import { Tabs } from "../../kit/tabs.tsx"
import { Groups } from "./groups.tsx"
import { DEAD_LETTER_VIEWS, filtersOf } from "./letter-filters.ts"
import { LetterPanel } from "./letter-panel.tsx"
import { Letters } from "./letters.tsx"
import { type DeadLetterSearch, filterOf, readDeadLetterFilter, viewOf } from "./search.ts"

const route = getRouteApi("/dead-letters")

const TABS = [
  { name: "errors", label: "By error" },
  { name: "list", label: "List" },
] as const

const readAgain = () => void queryClient.invalidateQueries({ queryKey: DEAD_LETTERS })

export function DeadLettersScreen() {
  const search = route.useSearch()
  const { cursor, letter, bulk } = search
  const view = viewOf(search)
  const values = readDeadLetterFilter({ ...search })
  const navigate = route.useNavigate()
  /** Another filter begins at the first page. */
  const show = (change: DeadLetterSearch) =>
    void navigate({ search: { ...search, view, ...change, cursor: undefined, letter: undefined } })
  /** On the same page. */
  const put = (change: Pick<DeadLetterSearch, "letter" | "bulk">) =>
    void navigate({ search: { ...search, view, ...change }, state: true, resetScroll: false })
  return (
    <Page
      title="Dead letters"
      lead="Jobs that were given up. Replay sends one on its way again, with its full budget of retries; discard lets go of it for good."
      drawer={
        letter !== undefined && (
          <LetterPanel id={letter} onChanged={readAgain} onClose={() => put({ letter: undefined })} />
        )
      }
    >
      {bulk !== undefined && (
        <BulkProgress id={bulk} things="dead letter" onDismiss={() => put({ bulk: undefined })} onEnd={readAgain} />
      )}
      <ViewBar views={DEAD_LETTER_VIEWS} filter={values} />
      <Card flush>
        <Tabs label="How they are looked at" tabs={TABS} current={view} onChange={(name) => show({ view: name })}>
          <FilterChips
            label="Filter dead letters"
            className="border-line border-b px-4 py-3"
            kinds={filtersOf(view)}
            values={values}
            onChange={(next) => show(readDeadLetterFilter(next))}
          >
            <SaveViewButton views={DEAD_LETTER_VIEWS} filter={values} />
          </FilterChips>
          {view === "errors" ? (
            <Groups
              range={{ died: search.died, since: search.since, before: search.before }}
              onBulk={({ id }) => put({ bulk: id })}
            />
          ) : (
            <Letters
              filter={filterOf(search)}
              cursor={cursor}
              open={letter}
              onBulk={({ id }) => put({ bulk: id })}
              onChanged={readAgain}
            />
          )}
        </Tabs>
      </Card>
    </Page>
  )
}
