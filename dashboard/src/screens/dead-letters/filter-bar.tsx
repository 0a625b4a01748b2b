// The filters of the dead letters. The groups know of times alone.
import { useQuery } from "@tanstack/react-query"
import { jobTypesQuery } from "../../api/job-types.ts"
import { PRIORITIES } from "../../api/overview.ts"
import { Button } from "../../kit/button.tsx"
import { DefinitionField } from "../../kit/fields/definition-field.tsx"
import { FailureField } from "../../kit/fields/failure-field.tsx"
import { SelectField } from "../../kit/fields/fields.tsx"
import { FilterText, FilterTime } from "../../kit/fields/filter-fields.tsx"
import { FilterFrame } from "../../kit/fields/filter-frame.tsx"
import { type DeadLetterSearch, filterOf, isFiltered, type View } from "./search.ts"

interface Props {
  readonly search: DeadLetterSearch
  readonly view: View
  readonly onChange: (change: Partial<DeadLetterSearch>) => void
}

const NONE = {
  type: undefined,
  priority: undefined,
  definitionId: undefined,
  failure: undefined,
  since: undefined,
  before: undefined,
}

export function FilterBar({ search, view, onChange }: Props) {
  const set = (name: keyof DeadLetterSearch) => (value: string | undefined) => onChange({ [name]: value })
  return (
    <div className="border-line border-b">
      <FilterFrame label="Filter dead letters" set={Object.values(filterOf(search)).filter(Boolean).length}>
        {view === "list" && <ListFields search={search} set={set} />}
        <FilterTime label="Died since" value={search.since} onChange={set("since")} />
        <FilterTime label="Died before" value={search.before} onChange={set("before")} />
        {isFiltered(filterOf(search)) && (
          <div className="flex justify-end lg:col-span-2">
            <Button look="quiet" onClick={() => onChange(NONE)}>
              Clear
            </Button>
          </div>
        )}
      </FilterFrame>
    </div>
  )
}

interface ListFieldsProps {
  readonly search: DeadLetterSearch
  readonly set: (name: keyof DeadLetterSearch) => (value: string | undefined) => void
}

function ListFields({ search, set }: ListFieldsProps) {
  const types = useQuery({ ...jobTypesQuery, staleTime: 30_000 })
  return (
    <>
      <FailureField label="Error" value={search.failure} onChange={set("failure")} />
      <FilterText
        label="Job type"
        placeholder="any"
        value={search.type}
        onChange={set("type")}
        suggestions={(types.data ?? []).map(({ name }) => ({ value: name }))}
      />
      <SelectField
        label="Priority"
        value={search.priority ?? ""}
        onChange={(event) => set("priority")(event.target.value || undefined)}
      >
        <option value="">Any</option>
        {PRIORITIES.map((priority) => (
          <option key={priority} value={priority}>
            {priority[0]?.toUpperCase() + priority.slice(1)}
          </option>
        ))}
      </SelectField>
      <DefinitionField label="Definition" value={search.definitionId} onChange={set("definitionId")} />
    </>
  )
}
