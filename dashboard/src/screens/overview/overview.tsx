// The engine at a glance: the race, then what is wrong, then what flows and how it went.
import { useOverview } from "../../api/live.ts"
import type { Overview } from "../../api/overview.ts"
import { Needs } from "../../kit/needs.tsx"
import { count } from "../../kit/numbers.ts"
import { Page } from "../../kit/page.tsx"
import { Loading } from "../../kit/states.tsx"
import { LinkTile } from "../../kit/tile.tsx"
import { Charts } from "./charts.tsx"
import { useIsNew, Welcome } from "./first-run.tsx"
import { Race } from "./race/race.tsx"
import { RateCards } from "./rates.tsx"
import { TroubleList } from "./trouble-list.tsx"

export function OverviewScreen() {
  const overview = useOverview()
  return (
    <Page title="Overview">
      <Needs scope="metrics:read">{overview ? <Glance overview={overview} /> : <Loading />}</Needs>
    </Page>
  )
}

function Glance({ overview }: { readonly overview: Overview }) {
  const isNew = useIsNew(overview)
  return (
    <>
      <Race overview={overview} isNew={isNew} />
      {isNew ? <Welcome /> : <TroubleList overview={overview} />}
      <RateCards rates={overview.rates} />
      <Tiles overview={overview} />
      <Charts />
    </>
  )
}

function Tiles({ overview }: { readonly overview: Overview }) {
  const { leases, leasesAreExact, workers, deadLetters, deadLettersAreExact } = overview
  const { openUserTasks, openUserTasksAreExact } = overview
  return (
    <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
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
