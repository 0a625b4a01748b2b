// What shadow mode would have refused in the last 24 hours, by hour, rule, client and path.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type GuardRule, type ShadowedCalls, shadowReportQuery } from "../../api/guard/shadow.ts"
import { CutName, CutText } from "../../kit/cut-text.tsx"
import { SelectField } from "../../kit/fields/fields.tsx"
import { FilterText } from "../../kit/fields/filter-fields.tsx"
import { count } from "../../kit/numbers.ts"
import { Pager } from "../../kit/pager.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import type { GuardSearch } from "./search.ts"
import { WhyLink } from "./top-callers.tsx"
import { RULE_NAMES, ruleName } from "./words.ts"

interface Props {
  readonly search: GuardSearch
  readonly onChange: (change: GuardSearch) => void
}

export function ShadowReport({ search: { rule, client, cursor }, onChange }: Props) {
  const query = useQuery({ ...shadowReportQuery({ rule, client }, cursor), placeholderData: keepPreviousData })
  const isFiltered = rule !== undefined || client !== undefined
  return (
    <section aria-label="Shadow report" className="border-line border-t">
      <div className="flex flex-wrap items-end gap-3 px-4 py-3">
        <h3 className="mr-auto font-semibold">What would have been refused, in the last 24 hours</h3>
        <div className="w-56">
          <SelectField
            label="Rule"
            value={rule ?? ""}
            onChange={(event) => onChange({ rule: (event.target.value || undefined) as GuardRule | undefined })}
          >
            <option value="">Any</option>
            {RULE_NAMES.map((name) => (
              <option key={name} value={name}>
                {ruleName(name)}
              </option>
            ))}
          </SelectField>
        </div>
        <div className="w-56">
          <FilterText label="Client" value={client} placeholder="any" onChange={(name) => onChange({ client: name })} />
        </div>
      </div>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={isFiltered ? "Nothing of the kind was noted." : "Nothing was noted."}>
              Let a rule only note, and what it would refuse comes here.
            </Empty>
          ) : (
            <Table caption="Shadow report" columns={COLUMNS} rows={items} keyOf={keyOf} />
          )
        }
      </Loaded>
      <Pager label="Pages of the shadow report" cursor={cursor} next={query.data?.next_cursor} />
    </section>
  )
}

const keyOf = ({ hour, rule, client, path }: ShadowedCalls): string => `${hour} ${rule} ${client} ${path}`

const HOUR = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" })

const COLUMNS: readonly Column<ShadowedCalls>[] = [
  {
    name: "Hour",
    className: "whitespace-nowrap",
    cell: ({ hour }) => <time dateTime={hour}>{HOUR.format(new Date(hour))}</time>,
  },
  { name: "Rule", className: "whitespace-nowrap", cell: ({ rule }) => ruleName(rule) },
  { name: "Client", className: "max-w-56 min-w-36", cell: ({ client }) => <WhyLink name={client} /> },
  { name: "Path", className: "max-w-56", cell: ({ path }) => <CutName text={path} className="font-mono text-xs" /> },
  { name: "Requests", align: "right", cell: (row) => count(row.count) },
  { name: "Last", cell: ({ last_at }) => <Ago at={last_at} /> },
  {
    name: "Why",
    className: "w-full max-w-0 min-w-40",
    cell: ({ last_reason }) => <CutText text={last_reason} className="text-muted" />,
  },
]
