// Definitions: the latest version of each, found by a part of its name or id.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { type DefinitionSummary, definitionsQuery, PAGE_SIZE } from "../../api/definitions.ts"
import { useMay } from "../../api/session.ts"
import { LinkButton } from "../../kit/button.tsx"
import { CutText } from "../../kit/cut-text.tsx"
import { TextField } from "../../kit/fields/fields.tsx"
import { useKeys } from "../../kit/keys.ts"
import { count } from "../../kit/numbers.ts"
import { Card, Page } from "../../kit/page.tsx"
import { PagerBar } from "../../kit/pager.tsx"
import { ROW_LINK, useRowKeys } from "../../kit/row-keys.ts"
import { Empty, Loaded } from "../../kit/states.tsx"
import { Badge } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"

const route = getRouteApi("/definitions")

export function DefinitionsScreen() {
  const { keyword, page } = route.useSearch()
  const navigate = route.useNavigate()
  const at = /^\d{1,6}$/.test(page ?? "") ? Number(page) : 0
  const query = useQuery({ ...definitionsQuery(keyword, at), placeholderData: keepPreviousData, meta: { live: true } })
  const mayWrite = useMay("definitions:write")
  const list = useRowKeys()
  useKeys(mayWrite ? { u: () => void navigate({ to: "/upload" }) } : {})
  return (
    <Page
      title="Definitions"
      lead="What can be run: each is a document of steps, and every change to it is a new version."
      actions={mayWrite && <UploadButton look="primary" />}
    >
      <Search
        keyword={keyword ?? ""}
        onChange={(next) => void navigate({ search: { keyword: next || undefined }, replace: true })}
      />
      <Card flush>
        <Loaded query={query}>
          {({ items, total }) => (
            <>
              {items.length === 0 ? (
                <Nothing keyword={keyword} mayWrite={mayWrite} />
              ) : (
                <div ref={list} className="[&_tbody_tr]:cursor-pointer">
                  <Table caption="Definitions" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
                </div>
              )}
              <Pages at={at} total={total} />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  )
}

const UploadButton = ({ look }: { readonly look: "primary" | "plain" }) => (
  <LinkButton to="/upload" look={look} title="u">
    Upload a definition
  </LinkButton>
)

/** Each letter is looked for; the address follows what is typed. */
function Search({ keyword, onChange }: { readonly keyword: string; readonly onChange: (keyword: string) => void }) {
  const [typed, setTyped] = useState(keyword)
  const [seen, setSeen] = useState(keyword)
  if (seen !== keyword) {
    setSeen(keyword)
    if (typed.trim() !== keyword) setTyped(keyword)
  }
  return (
    <search className="max-w-md">
      <TextField
        label="Part of a name or id"
        type="search"
        maxLength={256}
        autoComplete="off"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          onChange(event.target.value.trim())
        }}
      />
    </search>
  )
}

const COLUMNS: readonly Column<DefinitionSummary>[] = [
  { name: "Definition", className: "max-w-72 min-w-40", cell: (summary) => <Name summary={summary} /> },
  { name: "Version", cell: ({ version }) => <Badge>v{version}</Badge> },
  {
    name: "Description",
    className: "w-full max-w-96 min-w-40",
    cell: ({ description }) => description && <CutText text={description} className="text-muted" />,
  },
  { name: "Uploaded", cell: ({ uploadedAt }) => <Ago at={uploadedAt} /> },
]

const Name = ({ summary: { id, name } }: { readonly summary: DefinitionSummary }) => (
  <>
    <Link
      to="/definitions/$definitionId"
      params={{ definitionId: id }}
      className="block truncate font-medium"
      title={name}
      {...ROW_LINK}
    >
      {name}
    </Link>
    {id !== name && (
      <span className="text-muted block truncate font-mono text-xs" title={id}>
        {id}
      </span>
    )}
  </>
)

function Nothing({ keyword, mayWrite }: { readonly keyword: string | undefined; readonly mayWrite: boolean }) {
  if (keyword !== undefined)
    return (
      <Empty title="No definition has this in its name or id.">
        <Link to="/definitions">Show all definitions</Link>
      </Empty>
    )
  return (
    <Empty title="There are no definitions yet.">
      <p>
        A definition is one JSON document of steps. Upload one here, or with <code>POST /v1/definitions</code>; a worker
        that is written with the library uploads its own when it starts.
      </p>
      {mayWrite && (
        <p className="mt-3">
          <UploadButton look="plain" />
        </p>
      )}
    </Empty>
  )
}

function Pages({ at, total }: { readonly at: number; readonly total: number }) {
  const last = Math.max(0, Math.ceil(total / PAGE_SIZE) - 1)
  if (last === 0 && at === 0) return null
  const to = (page: number) => ({
    to: "/definitions" as const,
    search: (search: object) => ({ ...search, page: page > 0 ? String(page) : undefined }),
  })
  return (
    <PagerBar label="Pages of definitions" words={`Page ${at + 1} of ${last + 1} · ${count(total)} definitions`}>
      {at > 0 && <LinkButton {...to(Math.min(at, last + 1) - 1)}>Previous</LinkButton>}
      {at < last && <LinkButton {...to(at + 1)}>Next</LinkButton>}
    </PagerBar>
  )
}
