// Instances: the list, newest first, with its filters in the address, and what can be done to many of them.
import { getRouteApi } from "@tanstack/react-router"
import { INSTANCES, type InstanceFilter } from "../../api/instances.ts"
import { queryClient } from "../../api/query-client.ts"
import { useMay } from "../../api/session.ts"
import { BulkProgress } from "../../kit/bulk/bulk-progress.tsx"
import { LinkButton } from "../../kit/button.tsx"
import { Page } from "../../kit/page.tsx"
import { FilterBar } from "./filter-bar.tsx"
import { InstanceList } from "./instance-list.tsx"
import { SavedFilterBar } from "./saved-filter-bar.tsx"

const route = getRouteApi("/instances")

const readAgain = () => void queryClient.invalidateQueries({ queryKey: INSTANCES })

export function InstancesScreen() {
  const { cursor, bulk, ...filter } = route.useSearch()
  const navigate = route.useNavigate()
  const mayStart = useMay("instances:write")
  const show = (next: InstanceFilter) => void navigate({ search: { ...next, bulk } })
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
      <SavedFilterBar filter={filter} />
      <FilterBar filter={filter} onChange={show} />
      <InstanceList filter={filter} cursor={cursor} onBulk={({ id }) => follow(id)} onChanged={readAgain} />
    </Page>
  )
}
