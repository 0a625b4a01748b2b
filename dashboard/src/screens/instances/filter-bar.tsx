// The filters of the instance list. Each change is a new address, and begins at the first page.
import type { InstanceFilter } from "../../api/instances.ts"
import { Button } from "../../kit/button.tsx"
import { DefinitionField } from "../../kit/fields/definition-field.tsx"
import { StepFailureField } from "../../kit/fields/failure-field.tsx"
import { SelectField } from "../../kit/fields/fields.tsx"
import { FilterText, FilterTime } from "../../kit/fields/filter-fields.tsx"
import { FilterFrame } from "../../kit/fields/filter-frame.tsx"
import { Card } from "../../kit/page.tsx"
import { filterWords } from "./filter-words.ts"
import { SaveFilterButton } from "./saved-filter-bar.tsx"
import { isFiltered, STATUSES } from "./search.ts"

interface Props {
  readonly filter: InstanceFilter
  readonly onChange: (filter: InstanceFilter) => void
}

export function FilterBar({ filter, onChange }: Props) {
  const set = (name: keyof InstanceFilter) => (value: string | undefined) => onChange({ ...filter, [name]: value })
  return (
    <Card flush>
      <FilterFrame label="Filter instances" set={filterWords(filter).length}>
        <SelectField
          label="Status"
          value={filter.status ?? ""}
          onChange={(event) => set("status")(event.target.value || undefined)}
        >
          <option value="">Any</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {status[0] + status.slice(1).toLowerCase()}
            </option>
          ))}
        </SelectField>
        <DefinitionField label="Definition" value={filter.definitionId} onChange={set("definitionId")} />
        <FilterText
          label="Version"
          type="number"
          min={1}
          placeholder="any"
          value={filter.version}
          onChange={set("version")}
        />
        <FilterText label="Business key" placeholder="any" value={filter.businessKey} onChange={set("businessKey")} />
        <FilterTime label="Started after" value={filter.startedAfter} onChange={set("startedAfter")} />
        <FilterTime label="Started before" value={filter.startedBefore} onChange={set("startedBefore")} />
        <StepFailureField
          label="Failure"
          definitionId={filter.definitionId}
          value={filter.failure}
          onChange={set("failure")}
        />
        {isFiltered(filter) && (
          <div className="flex flex-wrap justify-end gap-2">
            <Button look="quiet" onClick={() => onChange({})}>
              Clear
            </Button>
            <SaveFilterButton filter={filter} />
          </div>
        )}
      </FilterFrame>
    </Card>
  )
}
