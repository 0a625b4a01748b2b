// A table that scrolls in its own frame: sideways where it is too wide, and downwards under a head that stays.
import type { ReactNode } from "react"
import { cx } from "./classes.ts"

export interface Column<T> {
  /** What the head says, unless it says something else; unique in its table. */
  readonly name: string
  readonly head?: ReactNode
  readonly cell: (row: T) => ReactNode
  readonly align?: "right"
  readonly className?: string
}

interface Props<T> {
  /** Read to those who do not see it. */
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly isMarked?: (row: T) => boolean
}

export function Table<T>({ caption, columns, rows, keyOf, isMarked }: Props<T>) {
  return (
    <section
      className="scrolls-sideways relative overflow-x-auto text-sm last:rounded-b-[7px] md:max-h-[calc(100dvh-9rem)] md:overflow-y-auto"
      aria-label={caption}
      tabIndex={0}
    >
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-muted text-xs">
          <tr>
            {columns.map(({ name, head = name, align, className }) => (
              <th key={name} scope="col" className={cx(CELL, HEAD, align === "right" && "text-right", className)}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={cx("border-line not-first:border-t", isMarked?.(row) ? "bg-accent-soft" : "hover:bg-sunken")}
            >
              {columns.map(({ name, cell, align, className }) => (
                <td key={name} className={cx(CELL, align === "right" && "text-right", className)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const CELL = "px-3 py-1.5 align-middle first:pl-4 last:pr-4"
/** Stays while the rows are scrolled. Its line is a shadow: a border would scroll away with the rows. */
const HEAD =
  "bg-surface sticky top-0 z-10 font-medium whitespace-nowrap shadow-[inset_0_-1px_0_var(--line)] first:rounded-tl-[7px] last:rounded-tr-[7px]"
