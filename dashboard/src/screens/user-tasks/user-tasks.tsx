// The inbox: what waits for a person, oldest first, and the one that is being worked on beside it.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useCallback } from "react"
import { type UserTask, userTasksQuery } from "../../api/user-tasks.ts"
import { Button, LinkButton } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { FilterChips } from "../../kit/filters/filter-chips.tsx"
import { SaveViewButton, ViewBar } from "../../kit/filters/view-bar.tsx"
import { useKeys } from "../../kit/keys.ts"
import { Card, Page } from "../../kit/page.tsx"
import { Pager } from "../../kit/pager.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { useListOrTask } from "./list-or-task.ts"
import { useMe } from "./me.ts"
import { OpenTask } from "./open-task.tsx"
import { readTaskFilter, type UserTaskSearch } from "./search.ts"
import { TASK_FILTERS, viewsOf } from "./task-filters.ts"
import { TaskList } from "./task-list.tsx"
import { WhoIAm } from "./who-i-am.tsx"

const route = getRouteApi("/user-tasks")

export function UserTasksScreen() {
  const { task: chosen, ...filter } = route.useSearch()
  const navigate = route.useNavigate()
  const [me, setMe] = useMe()
  const views = viewsOf(me)
  const values = { ...readTaskFilter({ ...filter }) }
  const query = useQuery({ ...userTasksQuery(filter), meta: { live: true }, placeholderData: keepPreviousData })
  const items = query.data?.items ?? []
  // The way back of the browser leads to the list, and not through all that was opened.
  const isOpen = chosen !== undefined
  const open = useCallback(
    (task: string | undefined) => void navigate({ search: (before) => ({ ...before, task }), replace: isOpen }),
    [navigate, isOpen],
  )
  const places = useListOrTask(chosen)
  const at = items.findIndex(({ id }) => id === chosen)
  const step = (by: number) => {
    const next = items[Math.max(0, Math.min(items.length - 1, at + by))]
    if (next) open(next.id)
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  /** The one after it, or the first that is left. */
  const openNext = () => open((items[at + 1] ?? items.find(({ id }) => id !== chosen))?.id)
  return (
    <Page
      title="User tasks"
      lead="Work that waits for a person. Claim a task to tell others that you are on it."
      actions={<WhoIAm me={me} onMe={setMe} />}
    >
      <div className={cx("flex flex-col gap-4", isOpen && "max-lg:hidden")}>
        <ViewBar views={views} filter={values} />
        <FilterChips
          label="Filter tasks"
          kinds={TASK_FILTERS}
          values={values}
          onChange={(next) => void navigate({ search: readTaskFilter(next) })}
        >
          <SaveViewButton views={views} filter={values} />
        </FilterChips>
      </div>
      <div className="grid gap-4 lg:grid-cols-[minmax(18rem,24rem)_minmax(0,1fr)]">
        <div ref={places.list} className={cx("min-w-0", isOpen && "max-lg:hidden")}>
          <Card flush>
            <Loaded query={query}>
              {({ items, nextCursor }) => (
                <>
                  {items.length === 0 ? (
                    <Nothing filter={filter} />
                  ) : (
                    <TaskList items={items} chosen={chosen} onOpen={open} />
                  )}
                  <Pager label="Pages of tasks" cursor={filter.cursor} next={nextCursor} drops="task" />
                </>
              )}
            </Loaded>
          </Card>
        </div>
        {chosen ? (
          <div ref={places.task} tabIndex={-1} className="flex min-w-0 flex-col items-start gap-2 outline-none">
            <Button look="quiet" className="-ml-3 lg:hidden" onClick={() => open(undefined)}>
              ← All tasks
            </Button>
            <OpenTask key={chosen} id={chosen} me={me} onNext={openNext} />
          </div>
        ) : (
          items.length > 0 && <Hint first={items[0] as UserTask} onOpen={open} />
        )}
      </div>
    </Page>
  )
}

function Nothing({ filter }: { readonly filter: UserTaskSearch }) {
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  if (isFiltered) return <Empty title="No task matches." />
  return (
    <Empty
      title="No task is open."
      code={TASK_STEP}
      action={<LinkButton to="/definitions">Choose a definition to start</LinkButton>}
    >
      A workflow that reaches such a step waits here until a person completes it.
    </Empty>
  )
}

const TASK_STEP = `{
  "id": "approve",
  "name": "Approve the expense",
  "type": "USER_TASK",
  "assigneeGroup": "finance",
  "nextStep": "pay"
}`

function Hint({ first, onOpen }: { readonly first: UserTask; readonly onOpen: (id: string) => void }) {
  return (
    <Card className="hidden self-start lg:block">
      <div className="text-muted flex flex-col items-center gap-3 py-10">
        Choose a task, or begin with the one that has waited longest.
        <Button look="primary" onClick={() => onOpen(first.id)}>
          Open the first
        </Button>
      </div>
    </Card>
  )
}
