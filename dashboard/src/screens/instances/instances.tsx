// Instances: the list, newest first, with its filters in the address, and what can be done to many of them.
import { getRouteApi } from "@tanstack/react-router"
import { INSTANCES } from "../../api/instances.ts"
import { queryClient } from "../../api/query-client.ts"
import { useMay } from "../../api/session.ts"
import { BulkProgress } from "../../kit/bulk/bulk-progress.tsx"
import { LinkButton } from "../../kit/button.tsx"
import { FilterChips } from "../../kit/filters/filter-chips.tsx"
import { SaveViewButton, ViewBar } from "../../kit/filters/view-bar.tsx"
import { Page } from "../../kit/page.tsx"
import { INSTANCE_FILTERS, INSTANCE_VIEWS } from "./instance-filters.ts"
import { InstanceList } from "./instance-list.tsx"
import { readInstanceFilter } from "./search.ts"

const route = getRouteApi("/instances")

const readAgain = () => void queryClient.invalidateQueries({ queryKey: INSTANCES })

export function InstancesScreen() {
  const { cursor, bulk, ...filter } = route.useSearch()
  const navigate = route.useNavigate()
  const mayStart = useMay("instances:write")
  const values = { ...filter }
  const follow = (id: string | undefined) => void navigate({ search: { ...filter, cursor, bulk: id }, state: true })
  return (
    <Page
      title="Instances"
      actions={
        mayStart && (
          <LinkButton to="/definitions" look="primary">
            Start an instance
          </LinkButton>
        )
      }
    >
      {bulk !== undefined && (
        <BulkProgress id={bulk} things="instance" onDismiss={() => follow(undefined)} onEnd={readAgain} />
      )}
      <ViewBar views={INSTANCE_VIEWS} filter={values} />
      <FilterChips
        label="Filter instances"
        kinds={INSTANCE_FILTERS}
        values={values}
        onChange={(next) => void navigate({ search: { ...readInstanceFilter(next), bulk } })}
      >
        <SaveViewButton views={INSTANCE_VIEWS} filter={values} />
      </FilterChips>
      <InstanceList filter={filter} cursor={cursor} onBulk={({ id }) => follow(id)} onChanged={readAgain} />
    </Page>
  )
}
