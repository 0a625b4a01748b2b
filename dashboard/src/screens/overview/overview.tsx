// The engine at a glance: what flows through it now, what waits, what is refused, and how it went.
import { useOverview } from "../../api/live.ts"
import type { Overview } from "../../api/overview.ts"
import { Needs } from "../../kit/needs.tsx"
import { count } from "../../kit/numbers.ts"
import { Page } from "../../kit/page.tsx"
import { Loading } from "../../kit/states.tsx"
import { LinkTile } from "../../kit/tile.tsx"
import { Charts } from "./charts.tsx"
import { DownstreamsCard } from "./downstreams.tsx"
import { FirstRun } from "./first-run.tsx"
import { PrioritiesCard } from "./priorities.tsx"
import { RateCards } from "./rates.tsx"

export function OverviewScreen() {
  const overview = useOverview()
  return (
    <Page title="Overview">
      <Needs scope="metrics:read">{overview ? <Glance overview={overview} /> : <Loading />}</Needs>
    </Page>
  )
}

function Glance({ overview }: { readonly overview: Overview }) {
  const { lanes, total, downstreams, rates } = overview
  return (
    <>
      <FirstRun overview={overview} />
      <RateCards rates={rates} />
      <div className="grid gap-4 lg:grid-cols-2">
        <PrioritiesCard priorities={lanes} total={total} />
        <div className="flex min-w-0 flex-col gap-4 max-lg:order-first">
          <Tiles overview={overview} />
          <DownstreamsCard downstreams={downstreams} />
        </div>
      </div>
      <Charts />
    </>
  )
}

function Tiles({ overview }: { readonly overview: Overview }) {
  const { leases, leasesAreExact, workers, deadLetters, deadLettersAreExact } = overview
  const { openUserTasks, openUserTasksAreExact } = overview
  return (
    <div className="grid grid-cols-2 gap-4">
      <LinkTile to="/workers" label="Jobs with workers" value={count(leases, leasesAreExact)} />
      <LinkTile to="/workers" label="Workers" value={count(workers)} />
      <LinkTile
        to="/dead-letters"
        label="Dead letters"
        value={count(deadLetters, deadLettersAreExact)}
        {...(deadLetters > 0 ? { tone: "bad" as const } : {})}
      />
      <LinkTile to="/user-tasks" label="Open user tasks" value={count(openUserTasks, openUserTasksAreExact)} />
    </div>
  )
}
