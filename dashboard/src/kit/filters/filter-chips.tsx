// The filters of a list: a chip for each that is set, and a menu to add one. What is set is in the address, so Back takes it back.
import { type ReactNode, useRef, useState } from "react"
import { Button } from "../button.tsx"
import { cx } from "../classes.ts"
import { useKeys } from "../keys.ts"
import { type FilterKind, type FilterValues, withFilter, withoutFilters } from "./filter-kind.ts"
import { Menu } from "./menu.tsx"
import { Popover } from "./popover.tsx"

interface Props {
  readonly label: string
  readonly kinds: readonly FilterKind[]
  readonly values: FilterValues
  readonly onChange: (values: FilterValues) => void
  readonly className?: string
  /** What can be done with the filters that are set. */
  readonly children?: ReactNode
}

export function FilterChips({ label, kinds, values, onChange, className, children }: Props) {
  /** The chip whose value is changed. */
  const [edited, setEdited] = useState<string>()
  const bar = useRef<HTMLElement>(null)
  const set = kinds.filter(({ name }) => values[name] !== undefined)
  const change = (next: FilterValues) => {
    setEdited(undefined)
    // A chip that was removed has had the focus.
    bar.current?.querySelector<HTMLElement>("[data-adds]")?.focus()
    onChange(next)
  }
  return (
    <search
      ref={bar}
      aria-label={label}
      className={cx("relative flex min-w-0 flex-wrap items-center gap-2", className)}
    >
      {set.map((kind) => (
        <Chip
          key={kind.name}
          kind={kind}
          values={values}
          isEdited={edited === kind.name}
          onEdit={(isEdited) => setEdited(isEdited ? kind.name : undefined)}
          onChange={change}
        />
      ))}
      <AddFilter kinds={kinds.filter((kind) => !set.includes(kind))} values={values} onChange={change} />
      {set.length > 0 && (
        <Button look="quiet" onClick={() => change(withoutFilters(values, kinds))}>
          Clear
        </Button>
      )}
      {set.length > 0 && children}
    </search>
  )
}

interface ChipProps extends Pick<Props, "values" | "onChange"> {
  readonly kind: FilterKind
  readonly isEdited: boolean
  readonly onEdit: (isEdited: boolean) => void
}

function Chip({ kind, values, isEdited, onEdit, onChange }: ChipProps) {
  const { label, name, help, words, Value, Editor } = kind
  const value = values[name] as string
  const remove = () => onChange(withoutFilters(values, [kind]))
  return (
    <Popover
      className="max-w-full"
      isOpen={isEdited}
      onClose={() => onEdit(false)}
      button={
        <span className="border-line bg-surface flex max-w-full items-stretch rounded-md border text-sm">
          <button
            type="button"
            data-opens
            aria-expanded={isEdited}
            title={help}
            onClick={() => onEdit(!isEdited)}
            onKeyDown={({ key }) => (key === "Delete" || key === "Backspace") && remove()}
            className="hover:bg-sunken flex min-w-0 gap-1 rounded-l-md py-1 pl-2.5 pr-1.5"
          >
            <span className="text-muted whitespace-nowrap">{label}:</span>
            <span className="max-w-72 truncate font-medium">
              {Value ? <Value value={value} /> : (words?.(value) ?? value)}
            </span>
          </button>
          <button
            type="button"
            aria-label={`Remove the filter ${label}`}
            onClick={remove}
            className="text-muted hover:bg-sunken hover:text-text rounded-r-md px-2"
          >
            ×
          </button>
        </span>
      }
    >
      <Editor label={label} value={value} values={values} onPick={(next) => onChange(withFilter(values, kind, next))} />
    </Popover>
  )
}

/** First which filter, then its value, in the same place. */
function AddFilter({ kinds, values, onChange }: Pick<Props, "kinds" | "values" | "onChange">) {
  const [chosen, setChosen] = useState<FilterKind | "menu">()
  const close = () => setChosen(undefined)
  useKeys(kinds.length > 0 ? { f: () => setChosen("menu") } : {})
  if (kinds.length === 0) return null
  return (
    <Popover
      isOpen={chosen !== undefined}
      onClose={close}
      button={
        <Button
          data-opens
          data-adds
          title="f"
          aria-haspopup="menu"
          aria-expanded={chosen !== undefined}
          className="border-dashed"
          onClick={() => setChosen(chosen ? undefined : "menu")}
        >
          <span aria-hidden="true">+</span> Add filter
        </Button>
      }
    >
      {chosen === "menu" && (
        <Menu
          label="Filters"
          items={kinds.map(({ name, label, help }) => ({ value: name, label, help }))}
          onPick={(name) => setChosen(kinds.find((kind) => kind.name === name))}
        />
      )}
      {chosen && chosen !== "menu" && (
        <chosen.Editor
          key={chosen.name}
          label={chosen.label}
          value={undefined}
          values={values}
          onPick={(value) => {
            close()
            onChange(withFilter(values, chosen, value))
          }}
        />
      )}
    </Popover>
  )
}
