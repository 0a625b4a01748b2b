// Every version of a definition: who uploaded it when, what is still open in it, and what it changed.
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type DefinitionVersion, versionsQuery } from "../../api/definitions.ts"
import { CutName, CutText } from "../../kit/cut-text.tsx"
import { Loaded } from "../../kit/states.tsx"
import { Badge } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import { OpenBadges } from "./open-badge.tsx"
import type { OpenSteps } from "./open-steps.ts"

interface Props {
  readonly definitionId: string
  readonly shown: number
  readonly open: ReadonlyMap<number, OpenSteps>
}

export function VersionsTable({ definitionId, shown, open }: Props) {
  const query = useQuery({ ...versionsQuery(definitionId), meta: { live: true } })
  const at = { to: "/definitions/$definitionId", params: { definitionId } } as const
  const columnsFor = (items: readonly DefinitionVersion[]): readonly Column<DefinitionVersion>[] => [
    {
      name: "Version",
      cell: ({ version }) => (
        <span className="flex items-center gap-2 whitespace-nowrap">
          <Link {...at} search={{ version: String(version) }} className="font-medium">
            Version {version}
          </Link>
          {version === items[0]?.version && <Badge tone="good">latest</Badge>}
        </span>
      ),
    },
    { name: "Name", className: "max-w-56", cell: ({ name }) => <CutName text={name} /> },
    {
      name: "Description",
      className: "max-w-72",
      cell: ({ description }) => description && <CutText text={description} className="text-muted" />,
    },
    {
      name: "Uploaded",
      cell: ({ uploadedAt, uploadedBy }) => (
        <span className="text-muted whitespace-nowrap">
          <Ago at={uploadedAt} /> by {uploadedBy}
        </span>
      ),
    },
    { name: "Open steps", cell: ({ version }) => <OpenBadges of={open.get(version) ?? { open: 0, older: 0 }} /> },
    {
      name: "Difference",
      cell: ({ version }) => {
        const before = items.find((item) => item.version < version)
        return (
          before && (
            <Link
              {...at}
              search={{ view: "difference", version: String(version), against: String(before.version) }}
              className="whitespace-nowrap"
            >
              to version {before.version}
            </Link>
          )
        )
      },
    },
  ]
  return (
    <Loaded query={query}>
      {({ items }) => (
        <Table
          caption="Versions"
          columns={columnsFor(items)}
          rows={items}
          keyOf={({ version }) => String(version)}
          isMarked={({ version }) => version === shown}
        />
      )}
    </Loaded>
  )
}
