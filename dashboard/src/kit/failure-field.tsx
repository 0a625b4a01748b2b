// Chooses one error among those that were seen: like errors have the same fingerprint, which nobody can type.
import { useQuery } from "@tanstack/react-query"
import { deadGroupsQuery } from "../api/dead-letters.ts"
import { useMay } from "../api/session.ts"
import { firstLine } from "./cut-text.tsx"
import { SelectField } from "./fields.tsx"
import { count } from "./numbers.ts"

interface Props {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (fingerprint: string | undefined) => void
}

const MAX_SHOWN = 80

export function FailureField({ label, value, onChange }: Props) {
  const groups = useQuery({ ...deadGroupsQuery(), enabled: useMay("jobs:read"), staleTime: 10_000 })
  const items = groups.data?.items ?? []
  const isListed = value === undefined || items.some(({ fingerprint }) => fingerprint === value)
  return (
    <SelectField label={label} value={value ?? ""} onChange={(event) => onChange(event.target.value || undefined)}>
      <option value="">Any</option>
      {!isListed && <option value={value}>Fingerprint {value}</option>}
      {items.map((group) => (
        <option key={group.fingerprint} value={group.fingerprint}>
          {firstLine(group.error).slice(0, MAX_SHOWN)} ({count(group.count, group.count_is_exact)})
        </option>
      ))}
    </SelectField>
  )
}
