// The API, to read: every operation of the contract that the engine serves, by group, found by any of its words.
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, useLocation } from "@tanstack/react-router"
import { Fragment, useEffect, useMemo, useState } from "react"
import { type Contract, contractQuery } from "../../api/contract.ts"
import { TextField } from "../../kit/fields/fields.tsx"
import { Card, Page } from "../../kit/page.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { Badge, type Tone } from "../../kit/status.tsx"
import { OperationView } from "./operation-view.tsx"
import { find, type Group, groupsOf, type Operation } from "./operations.ts"
import { Line, Prose } from "./prose.tsx"

const route = getRouteApi("/api")

export function ApiScreen() {
  const query = useQuery(contractQuery())
  return (
    <Page
      title="API"
      lead={
        <>
          Everything this page does goes through these routes. The contract itself is{" "}
          <a href="/openapi.json" className="underline">
            openapi.json
          </a>
          .
        </>
      }
    >
      <Loaded query={query}>{(contract) => <Reference contract={contract} />}</Loaded>
    </Page>
  )
}

function Reference({ contract }: { readonly contract: Contract }) {
  const { find: wanted = "" } = route.useSearch()
  const navigate = route.useNavigate()
  const [typed, setTyped] = useState(wanted)
  const groups = useMemo(() => groupsOf(contract), [contract])
  const shown = useMemo(() => find(groups, typed), [groups, typed])
  const { hash } = useLocation()
  // The router looked for it before the contract was there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the address the page was opened with.
  useEffect(() => document.getElementById(hash)?.scrollIntoView(), [])
  const search = (text: string) => {
    setTyped(text)
    void navigate({ search: { find: text.trim() || undefined }, replace: true, resetScroll: false })
  }
  return (
    <div className="grid gap-6 lg:grid-cols-[11rem_minmax(0,1fr)]">
      <div className="flex flex-col gap-3 self-start lg:sticky lg:top-5">
        <search>
          <TextField
            label="Search"
            type="search"
            placeholder="start instance"
            autoComplete="off"
            value={typed}
            onChange={(event) => search(event.target.value)}
          />
        </search>
        <nav aria-label="Groups" className="hidden lg:block">
          <ul className="flex flex-col gap-0.5">
            {shown.map(({ name, operations }) => (
              <li key={name}>
                <a href={`#${anchorOf(name)}`} className="text-muted hover:text-text flex justify-between py-0.5">
                  {name} <span className="text-xs">{operations.length}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        {typed === "" && contract.info.description && (
          <Card>
            <details>
              <summary className="font-semibold">What holds for all of them</summary>
              <div className="mt-2">
                <Prose text={contract.info.description} />
              </div>
            </details>
          </Card>
        )}
        {shown.map((group) => (
          <GroupView key={group.name} contract={contract} group={group} />
        ))}
        {shown.length === 0 && <Empty title="No operation has all these words.">Try a part of its path.</Empty>}
      </div>
    </div>
  )
}

const anchorOf = (name: string): string => `group-${name.toLowerCase().replaceAll(/\W+/g, "-")}`

const GroupView = ({ contract, group }: { readonly contract: Contract; readonly group: Group }) => (
  <section aria-label={group.name} id={anchorOf(group.name)} className="scroll-mt-4">
    <h2 className="text-lg font-semibold">{group.name}</h2>
    {group.description && (
      <p className="text-muted mb-2 max-w-prose">
        <Line text={group.description} />
      </p>
    )}
    <Card flush>
      <ul className="divide-line divide-y">
        {group.operations.map((operation) => (
          <OperationEntry key={operation.id} contract={contract} operation={operation} />
        ))}
      </ul>
    </Card>
  </section>
)

const TONES: Readonly<Record<string, Tone>> = { GET: "info", POST: "good", PUT: "warn", PATCH: "warn", DELETE: "bad" }

/** Its address is the page's with its name: a copied one opens it. */
function OperationEntry({ contract, operation }: { readonly contract: Contract; readonly operation: Operation }) {
  const { id, method, path, summary } = operation
  const { hash } = useLocation()
  const navigate = route.useNavigate()
  const [isOpen, setIsOpen] = useState(hash === id)
  const toggle = (open: boolean) => {
    setIsOpen(open)
    if (open && hash !== id)
      void navigate({ hash: id, search: true, replace: true, resetScroll: false, hashScrollIntoView: false })
  }
  return (
    <li id={id} className="scroll-mt-4">
      <details open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
        <summary className="hover:bg-sunken grid list-none gap-x-3 px-4 py-2 sm:grid-cols-[4rem_minmax(0,1fr)]">
          <span>
            <Badge tone={TONES[method] ?? "calm"}>{method}</Badge>
          </span>
          <span className="min-w-0">
            <PathName path={path} />
            <span className="text-muted block">{summary}</span>
          </span>
        </summary>
        {isOpen && <OperationView contract={contract} operation={operation} />}
      </details>
    </li>
  )
}

/** Breaks between its parts, and not inside of one. */
const PathName = ({ path }: { readonly path: string }) => (
  <code className="font-medium">
    {path.split(/(?=\/)/).map((part, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one path stay in their places.
      <Fragment key={at}>
        <wbr />
        {part}
      </Fragment>
    ))}
  </code>
)
