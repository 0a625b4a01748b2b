// One instance: how it stands, why it waits, what it did and what can be done about it.
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { ApiError } from "../../api/http.ts"
import { instanceQuery } from "../../api/instances.ts"
import { Page } from "../../kit/page.tsx"
import { Empty, ErrorNote, Loading } from "../../kit/states.tsx"
import { InstanceView } from "./instance-view.tsx"

export function InstanceScreen() {
  const { instanceId } = useParams({ from: "/instances/$instanceId" })
  const { data, error } = useQuery(instanceQuery(instanceId))
  if (data) return <InstanceView key={instanceId} instance={data} />
  if (error instanceof ApiError && error.status === 404) return <NotFound id={instanceId} />
  return <Page title="Instance">{error ? <ErrorNote error={error} /> : <Loading />}</Page>
}

const NotFound = ({ id }: { readonly id: string }) => (
  <Page title="Instance not found">
    <Empty title="There is no instance with this id.">
      <p>
        <code className="break-all">{id}</code>
      </p>
      <p className="mt-2">
        The id may be cut off or mistyped, or the instance was deleted when its time to be kept was over.{" "}
        <Link to="/instances">Look for it among all instances</Link>.
      </p>
    </Empty>
  </Page>
)
