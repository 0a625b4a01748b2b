// The guard: who calls and how they are answered, what is blocked and why, and what shadow mode would have refused.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { guardQuery } from "../../api/guard/state.ts"
import { Needs } from "../../kit/needs.tsx"
import { Card, Page } from "../../kit/page.tsx"
import { Loaded } from "../../kit/states.tsx"
import { Tabs } from "../../kit/tabs.tsx"
import { Blocks } from "./blocks.tsx"
import { GuardFacts } from "./guard-facts.tsx"
import { GuardIsOff } from "./guard-is-off.tsx"
import type { GuardSearch } from "./search.ts"
import { ShadowReport } from "./shadow-report.tsx"
import { ShadowRules } from "./shadow-rules.tsx"
import { TopCallers } from "./top-callers.tsx"
import { Traffic } from "./traffic.tsx"
import { Why } from "./why.tsx"

const route = getRouteApi("/guard")

export const GuardScreen = () => (
  <Page
    title="Guard"
    lead="Limits and abuse detection at every door. Those who are refused are not told by which rule; here it stands, with its numbers."
  >
    <Needs scope="admin">
      <Guard />
    </Needs>
  </Page>
)

const VIEWS = [
  { name: "blocks", label: "Blocks" },
  { name: "shadow", label: "Shadow mode" },
] as const

function Guard() {
  const search = route.useSearch()
  const { window = "PT1H", why, view = "blocks", cursor } = search
  const navigate = route.useNavigate()
  const query = useQuery({ ...guardQuery(window), placeholderData: keepPreviousData })
  /** Another list or filter begins at its first page. */
  const show = (change: GuardSearch) =>
    void navigate({ search: { ...search, cursor: undefined, ...change }, resetScroll: false })
  return (
    <Loaded query={query}>
      {(state) =>
        state.is_on ? (
          <>
            <GuardFacts state={state} />
            <Traffic points={state.traffic ?? []} window={window} />
            <Why name={why} onAsk={(name) => show({ why: name, cursor })} />
            <div className="grid gap-4 lg:grid-cols-2">
              <TopCallers
                title="Top clients"
                callers={state.top_clients ?? []}
                nothing="No call has come with a key, a token or a session."
              />
              <TopCallers title="Top addresses" callers={state.top_addresses ?? []} nothing="No call has come yet." />
            </div>
            <Card flush>
              <Tabs
                label="What is refused, and what would be"
                tabs={VIEWS}
                current={view}
                onChange={(name) => show({ view: name === "shadow" ? name : undefined })}
              >
                {view === "blocks" ? (
                  <Blocks cursor={cursor} />
                ) : (
                  <>
                    {state.shadow && <ShadowRules shadow={state.shadow} />}
                    <ShadowReport search={search} onChange={show} />
                  </>
                )}
              </Tabs>
            </Card>
          </>
        ) : (
          <GuardIsOff />
        )
      }
    </Loaded>
  )
}
