// One definition: its graph with what is open where, its steps, versions and their differences, and the door to start it.
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { activityQuery, type Definition, definitionQuery, versionsQuery } from "../../api/definitions.ts"
import { useMay } from "../../api/session.ts"
import { Button, LinkButton } from "../../kit/button.tsx"
import { useKeys } from "../../kit/keys.ts"
import { Card, Page } from "../../kit/page.tsx"
import { ErrorNote, Loading } from "../../kit/states.tsx"
import { Tabs } from "../../kit/tabs.tsx"
import { DefinitionFacts } from "./definition-facts.tsx"
import { Difference } from "./difference.tsx"
import { GraphPanel } from "./graph-panel.tsx"
import { JsonPanel } from "./json-panel.tsx"
import { openByStep, openByVersion } from "./open-steps.ts"
import { type DefinitionSearch, type View, versionOf } from "./search.ts"
import { StartDialog } from "./start-dialog.tsx"
import { StepTable } from "./step-table.tsx"
import { VersionsTable } from "./versions-table.tsx"

const route = getRouteApi("/definitions/$definitionId")

export function DefinitionScreen() {
  const { definitionId } = route.useParams()
  const search = route.useSearch()
  const query = useQuery({
    ...definitionQuery(definitionId, versionOf(search.version)),
    // Another version takes the place of this one when it is there, not before.
    placeholderData: (shown) => (shown?.id === definitionId ? shown : undefined),
    meta: { live: true },
  })
  if (query.data) return <Shown key={definitionId} definition={query.data} search={search} />
  return (
    <Page title={definitionId} crumbs={<Link to="/definitions">Definitions</Link>}>
      {query.error ? <ErrorNote error={query.error} /> : <Loading />}
    </Page>
  )
}

function Shown({ definition, search }: { readonly definition: Definition; readonly search: DefinitionSearch }) {
  const { id, name, version } = definition
  const navigate = route.useNavigate()
  const [isStarting, setIsStarting] = useState(false)
  const mayStart = useMay("instances:write")
  const mayUpload = useMay("definitions:write")
  const versions = useQuery({ ...versionsQuery(id), meta: { live: true } }).data?.items ?? []
  const go = (next: DefinitionSearch, replace = false) => void navigate({ search: { ...search, ...next }, replace })
  useKeys({
    ...(mayStart ? { s: () => setIsStarting(true) } : {}),
    ...(mayUpload ? { u: () => void navigate({ to: "/upload", search: { from: id } }) } : {}),
  })
  return (
    <Page
      title={name}
      crumbs={<Link to="/definitions">Definitions</Link>}
      lead={definition.description}
      actions={
        <>
          {mayUpload && (
            <LinkButton to="/upload" search={{ from: id }} title="u">
              Upload a new version
            </LinkButton>
          )}
          {mayStart && (
            <Button look="primary" title="s" onClick={() => setIsStarting(true)}>
              Start an instance
            </Button>
          )}
        </>
      }
    >
      <Views definition={definition} search={search} versions={versions} go={go} />
      {isStarting && (
        <StartDialog
          definition={definition}
          isLatest={versions.length === 0 || versions[0]?.version === version}
          onClose={() => setIsStarting(false)}
        />
      )}
    </Page>
  )
}

const TABS = [
  { name: "graph", label: "Graph" },
  { name: "steps", label: "Steps" },
  { name: "versions", label: "Versions" },
  { name: "difference", label: "Difference" },
  { name: "json", label: "JSON" },
] as const

interface ViewsProps {
  readonly definition: Definition
  readonly search: DefinitionSearch
  readonly versions: Parameters<typeof Difference>[0]["versions"]
  readonly go: (next: DefinitionSearch, replace?: boolean) => void
}

function Views({ definition, search, versions, go }: ViewsProps) {
  const { id, version, steps } = definition
  const view: View = search.view ?? (search.against === undefined ? "graph" : "difference")
  const mayRead = useMay("instances:read")
  const { data: activity } = useQuery({ ...activityQuery(id), enabled: mayRead })
  const open = useMemo(() => openByStep(activity, version), [activity, version])
  const select = (step: string) => go({ step }, true)
  const move = (by: 1 | -1) => {
    const at = steps.findIndex((step) => step.id === search.step)
    const next = steps[at < 0 ? 0 : at + by]
    if (next) select(next.id)
  }
  useKeys(view === "graph" || view === "steps" ? { j: () => move(1), k: () => move(-1) } : {})
  const shared = { definition, open, selected: search.step, onSelect: select }
  return (
    <>
      <DefinitionFacts
        definition={definition}
        versions={versions}
        activity={activity}
        onVersion={(next) => go({ version: next === versions[0]?.version ? undefined : String(next) })}
      />
      <Card flush>
        <Tabs
          label="Views of the definition"
          tabs={TABS}
          current={view}
          onChange={(next) => go({ view: next, ...(next === "difference" ? {} : { against: undefined }) }, true)}
        >
          {view === "graph" && <GraphPanel {...shared} />}
          {view === "steps" && <StepTable {...shared} />}
          {view === "versions" && <VersionsTable definitionId={id} shown={version} open={openByVersion(activity)} />}
          {view === "difference" && (
            <Difference
              definition={definition}
              versions={versions}
              against={versionOf(search.against)}
              onAgainst={(against) => go({ against: String(against) })}
            />
          )}
          {view === "json" && <JsonPanel definition={definition} />}
        </Tabs>
      </Card>
    </>
  )
}
