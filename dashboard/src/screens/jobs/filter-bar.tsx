// The filters of the list of jobs.
import { useQuery } from "@tanstack/react-query"
import { jobTypesQuery } from "../../api/job-types.ts"
import type { LiveJobFilter } from "../../api/live-jobs.ts"
import { PRIORITIES, type Priority } from "../../api/overview.ts"
import { Button } from "../../kit/button.tsx"
import { SelectField } from "../../kit/fields/fields.tsx"
import { FilterText } from "../../kit/fields/filter-fields.tsx"
import { FilterFrame } from "../../kit/fields/filter-frame.tsx"

interface Props {
  readonly filter: LiveJobFilter
  readonly onChange: (change: LiveJobFilter) => void
}

export function FilterBar({ filter: { jobType, priority }, onChange }: Props) {
  const types = useQuery({ ...jobTypesQuery, staleTime: 30_000 })
  const set = [jobType, priority].filter(Boolean).length
  return (
    <FilterFrame label="Filter jobs" set={set}>
      <FilterText
        label="Job type"
        placeholder="any"
        value={jobType}
        onChange={(jobType) => onChange({ jobType })}
        suggestions={(types.data ?? []).map(({ name }) => ({ value: name }))}
      />
      <SelectField
        label="Priority"
        value={priority ?? ""}
        onChange={(event) => onChange({ priority: (event.target.value || undefined) as Priority | undefined })}
      >
        <option value="">Any</option>
        {PRIORITIES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </SelectField>
      {set > 0 && (
        <div>
          <Button look="quiet" onClick={() => onChange({ jobType: undefined, priority: undefined })}>
            Clear
          </Button>
        </div>
      )}
    </FilterFrame>
  )
}
