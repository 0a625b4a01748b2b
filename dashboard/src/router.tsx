// Every address of the dashboard. Each screen is loaded when it is first opened; what filters it is in its address.
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { readInstanceEarly } from "./api/instance.ts"
import { useConnection } from "./api/live.ts"
import { Button } from "./kit/button.tsx"
import { Page } from "./kit/page.tsx"
import { Empty, ErrorNote } from "./kit/states.tsx"
import { readApiSearch } from "./screens/api/search.ts"
import { readDeadLetterSearch } from "./screens/dead-letters/search.ts"
import { readDefinitionSearch, readDefinitionsSearch, readUploadSearch } from "./screens/definitions/search.ts"
import { readEventsSearch } from "./screens/events/search.ts"
import { readGuardSearch } from "./screens/guard/search.ts"
import { readInstanceSearch } from "./screens/instance/search.ts"
import { readInstancesSearch } from "./screens/instances/search.ts"
import { readJobsSearch } from "./screens/jobs/search.ts"
import { readOverviewSearch } from "./screens/overview/search.ts"
import { readUserTaskSearch } from "./screens/user-tasks/search.ts"
import { Shell } from "./shell/shell.tsx"

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken })

const overview = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: readOverviewSearch,
  component: lazyRouteComponent(() => import("./screens/overview/overview.tsx"), "OverviewScreen"),
})

const instances = createRoute({
  getParentRoute: () => root,
  path: "/instances",
  validateSearch: readInstancesSearch,
  component: lazyRouteComponent(() => import("./screens/instances/instances.tsx"), "InstancesScreen"),
})

const instance = createRoute({
  getParentRoute: () => root,
  path: "/instances/$instanceId",
  validateSearch: readInstanceSearch,
  // What it shows is fetched beside the code that shows it, and not after.
  loader: ({ params: { instanceId } }) => {
    void readInstanceEarly(instanceId)
    void import("./graph/definition-graph.tsx")
  },
  component: lazyRouteComponent(() => import("./screens/instance/instance.tsx"), "InstanceScreen"),
})

const definitions = createRoute({
  getParentRoute: () => root,
  path: "/definitions",
  validateSearch: readDefinitionsSearch,
  component: lazyRouteComponent(() => import("./screens/definitions/definitions.tsx"), "DefinitionsScreen"),
})

const upload = createRoute({
  getParentRoute: () => root,
  path: "/upload",
  validateSearch: readUploadSearch,
  component: lazyRouteComponent(() => import("./screens/definitions/upload.tsx"), "UploadScreen"),
})

const definition = createRoute({
  getParentRoute: () => root,
  path: "/definitions/$definitionId",
  validateSearch: readDefinitionSearch,
  component: lazyRouteComponent(() => import("./screens/definitions/definition.tsx"), "DefinitionScreen"),
})

const queues = createRoute({
  getParentRoute: () => root,
  path: "/queues",
  component: lazyRouteComponent(() => import("./screens/queues/queues.tsx"), "QueuesScreen"),
})

const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  validateSearch: readJobsSearch,
  component: lazyRouteComponent(() => import("./screens/jobs/jobs.tsx"), "JobsScreen"),
})

const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$jobId",
  component: lazyRouteComponent(() => import("./screens/job/job.tsx"), "JobScreen"),
})

const deadLetters = createRoute({
  getParentRoute: () => root,
  path: "/dead-letters",
  validateSearch: readDeadLetterSearch,
  component: lazyRouteComponent(() => import("./screens/dead-letters/dead-letters.tsx"), "DeadLettersScreen"),
})

const userTasks = createRoute({
  getParentRoute: () => root,
  path: "/user-tasks",
  validateSearch: readUserTaskSearch,
  component: lazyRouteComponent(() => import("./screens/user-tasks/user-tasks.tsx"), "UserTasksScreen"),
})

/** The address that others have: one task is open beside the list. */
const userTask = createRoute({
  getParentRoute: () => root,
  path: "/user-tasks/$taskId",
  beforeLoad: ({ params: { taskId } }) => {
    throw redirect({ to: "/user-tasks", search: { task: taskId }, replace: true })
  },
})

const schedules = createRoute({
  getParentRoute: () => root,
  path: "/schedules",
  component: lazyRouteComponent(() => import("./screens/schedules/schedules.tsx"), "SchedulesScreen"),
})

const events = createRoute({
  getParentRoute: () => root,
  path: "/events",
  validateSearch: readEventsSearch,
  component: lazyRouteComponent(() => import("./screens/events/events.tsx"), "EventsScreen"),
})

const workers = createRoute({
  getParentRoute: () => root,
  path: "/workers",
  component: lazyRouteComponent(() => import("./screens/workers/workers.tsx"), "WorkersScreen"),
})

const guard = createRoute({
  getParentRoute: () => root,
  path: "/guard",
  validateSearch: readGuardSearch,
  component: lazyRouteComponent(() => import("./screens/guard/guard.tsx"), "GuardScreen"),
})

const api = createRoute({
  getParentRoute: () => root,
  path: "/api",
  validateSearch: readApiSearch,
  component: lazyRouteComponent(() => import("./screens/api/api.tsx"), "ApiScreen"),
})

const routeTree = root.addChildren([
  overview,
  instances,
  instance,
  definitions,
  upload,
  definition,
  queues,
  jobs,
  job,
  deadLetters,
  userTasks,
  userTask,
  schedules,
  events,
  workers,
  guard,
  api,
])

export const router = createRouter({
  routeTree,
  basepath: "/ui",
  defaultPreload: "intent",
  scrollRestoration: true,
  // Values stay text: a business key of twenty digits is not a number.
  parseSearch: parseSearchWith((value) => value),
  stringifySearch: stringifySearchWith(String),
  // Inside the frame: what breaks is one screen, and the way to the others stays.
  defaultErrorComponent: Broken,
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}

function NotFound() {
  return (
    <Page title="Nothing here">
      <Empty title="There is no such page.">
        <Link to="/">Go to the overview</Link>
      </Empty>
    </Page>
  )
}

function Broken({ error }: ErrorComponentProps) {
  useReloadWhenBack()
  return (
    <Page title="Something broke">
      <ErrorNote error={error} />
      <p>
        <Button onClick={() => location.reload()}>Load this page again</Button>
      </p>
    </Page>
  )
}

/** Most often a part of the page could not be fetched because the engine was away: then it is whole again with the connection. */
function useReloadWhenBack(): void {
  const { state } = useConnection()
  const wasLost = useRef(false)
  useEffect(() => {
    if (state === "lost") wasLost.current = true
    else if (state === "live" && wasLost.current) location.reload()
  }, [state])
}
