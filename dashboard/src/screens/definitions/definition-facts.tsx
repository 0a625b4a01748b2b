// What one wants to know of a version before anything else: which it is, who made it when, and where its instances are.
import { Link } from "@tanstack/react-router"
import type { Activity, Definition, DefinitionVersion } from "../../api/definitions.ts"
import { SelectField } from "../../kit/fields/fields.tsx"
import { count } from "../../kit/numbers.ts"
import { Ago } from "../../kit/time.tsx"

interface Props {
  readonly definition: Definition
  readonly versions: readonly DefinitionVersion[]
  readonly activity: Activity | undefined
  readonly onVersion: (version: number) => void
}

const STATUSES = ["ACTIVE", "WAITING", "FAILED", "COMPLETED", "CANCELLED"] as const

export function DefinitionFacts({ definition, versions, activity, onVersion }: Props) {
  const { id, version, uploadedAt, execution } = definition
  const uploadedBy = versions.find((one) => one.version === version)?.uploadedBy
  return (
    <div className="flex flex-wrap items-end gap-x-8 gap-y-3">
      <div className="w-36">
        <SelectField label="Version" value={version} onChange={(event) => onVersion(Number(event.target.value))}>
          {optionsOf(versions, version).map((one) => (
            <option key={one} value={one}>
              {one === versions[0]?.version ? `${one} (latest)` : one}
            </option>
          ))}
        </SelectField>
      </div>
      <Fact name="Id">
        <code className="break-all">{id}</code>
      </Fact>
      <Fact name="Uploaded">
        <Ago at={uploadedAt} />
        {uploadedBy && ` by ${uploadedBy}`}
      </Fact>
      {execution === "steplist" && <Fact name="Runs as">a list, step by step</Fact>}
      {activity && <Fact name="Live instances">{count(activity.instances, activity.isExact)}</Fact>}
      <Fact name="Instances by status">
        <span className="flex flex-wrap gap-x-2.5">
          {STATUSES.map((status) => (
            <Link key={status} to="/instances" search={{ definitionId: id, status }}>
              {status.toLowerCase()}
            </Link>
          ))}
        </span>
      </Fact>
    </div>
  )
}

/** Only the newest versions are listed; the one that is shown is always among them. */
const optionsOf = (versions: readonly DefinitionVersion[], shown: number): number[] =>
  [...new Set([...versions.map(({ version }) => version), shown])].sort((a, b) => b - a)

const Fact = ({ name, children }: { readonly name: string; readonly children: React.ReactNode }) => (
  <div className="min-w-0">
    <p className="text-muted text-xs font-medium">{name}</p>
    <div className="flex min-h-7 items-center gap-1">{children}</div>
  </div>
)
