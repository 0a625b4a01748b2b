// Chooses one error among those that were seen: like errors have the same fingerprint, which cannot be typed.
import { useQuery } from "@tanstack/react-query"
import { deadGroupsQuery, stepFailuresQuery } from "../../api/dead-letters.ts"
import { useMay } from "../../api/session.ts"
import { firstLine } from "../cut-text.tsx"
import { count } from "../numbers.ts"
import { SelectField } from "./fields.tsx"

interface Props {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (fingerprint: string | undefined) => void
}

interface Seen {
  readonly fingerprint: string
  readonly words: string
}

const MAX_SHOWN = 80

const inShort = (error: string): string => firstLine(error).slice(0, MAX_SHOWN)

/** Of all dead letters. */
export function FailureField(props: Props) {
  const groups = useQuery({ ...deadGroupsQuery(), enabled: useMay("jobs:read"), staleTime: 10_000 })
  const seen = (groups.data?.items ?? []).map(({ fingerprint, error, count: letters, count_is_exact }) => ({
    fingerprint,
    words: `${inShort(error)} (${count(letters, count_is_exact)})`,
  }))
  return <Choice {...props} seen={seen} />
}

/** Of steps alone, which fail an instance: of one definition, or of any. */
export function StepFailureField({ definitionId, ...props }: Props & { readonly definitionId: string | undefined }) {
  const failures = useQuery({ ...stepFailuresQuery(definitionId), enabled: useMay("jobs:read"), staleTime: 10_000 })
  const seen = (failures.data ?? []).map(({ fingerprint, error }) => ({ fingerprint, words: inShort(error) }))
  return <Choice {...props} seen={seen} />
}

function Choice({ label, value, onChange, seen }: Props & { readonly seen: readonly Seen[] }) {
  const isListed = value === undefined || seen.some(({ fingerprint }) => fingerprint === value)
  return (
    <SelectField label={label} value={value ?? ""} onChange={(event) => onChange(event.target.value || undefined)}>
      <option value="">Any</option>
      {!isListed && <option value={value}>Fingerprint {value}</option>}
      {seen.map(({ fingerprint, words }) => (
        <option key={fingerprint} value={fingerprint}>
          {words}
        </option>
      ))}
    </SelectField>
  )
}
