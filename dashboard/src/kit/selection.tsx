// Rows that are ticked in a list: which, and the column to tick them in. Only what is on the page can be ticked.
import { useState } from "react"
import type { Column } from "./table.tsx"

export interface Selection<T> {
  readonly rows: readonly T[]
  has(row: T): boolean
  toggle(row: T): void
  toggleAll(): void
  clear(): void
}

interface Row {
  readonly id: string
}

/** Ticks that hold for one page: `page` says which. What is no longer seen is not acted on. */
export function useTicks(page: string) {
  const [ticked, setTicked] = useState<{ page: string; ids: ReadonlySet<string> }>({ page, ids: new Set() })
  const ids = ticked.page === page ? ticked.ids : new Set<string>()
  const setIds = (next: Iterable<string>) => setTicked({ page, ids: new Set(next) })
  return {
    /** A list that moves on by itself is held still while something in it is ticked. */
    hasAny: ids.size > 0,
    of<T extends Row>(shown: readonly T[]): Selection<T> {
      const rows = shown.filter(({ id }) => ids.has(id))
      return {
        rows,
        has: ({ id }) => ids.has(id),
        toggle: ({ id }) => setIds(ids.has(id) ? [...ids].filter((one) => one !== id) : [...ids, id]),
        toggleAll: () => setIds(rows.length === shown.length ? [] : shown.map(({ id }) => id)),
        clear: () => setIds([]),
      }
    },
  }
}

/** `nameOf` says which row a box is of. */
export function selectionColumn<T extends Row>(
  { rows, has, toggle, toggleAll }: Selection<T>,
  count: number,
  nameOf: (row: T) => string,
): Column<T> {
  return {
    name: "select",
    className: "w-0",
    head: (
      <Box
        label="Select every row of this page"
        checked={count > 0 && rows.length === count}
        isPartly={rows.length > 0 && rows.length < count}
        onChange={toggleAll}
      />
    ),
    cell: (row) => <Box label={`Select ${nameOf(row)}`} checked={has(row)} onChange={() => toggle(row)} />,
  }
}

interface BoxProps {
  readonly label: string
  readonly checked: boolean
  readonly isPartly?: boolean
  readonly onChange: () => void
}

const Box = ({ label, checked, isPartly = false, onChange }: BoxProps) => (
  <input
    ref={(box) => {
      if (box) box.indeterminate = isPartly
    }}
    type="checkbox"
    aria-label={label}
    title={label.startsWith("Select every") ? label : `${label} (x)`}
    checked={checked}
    onChange={onChange}
    className="block size-4"
  />
)
