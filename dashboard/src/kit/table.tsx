// A table that scrolls sideways in its own frame on a narrow screen.
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
    <section className="relative overflow-x-auto" aria-label={caption} tabIndex={0}>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-muted text-xs">
          <tr>
            {columns.map(({ name, head = name, align, className }) => (
              <th
                key={name}
                scope="col"
                className={cx(CELL, "font-medium", align === "right" && "text-right", className)}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={cx("border-line border-t", isMarked?.(row) ? "bg-accent-soft" : "hover:bg-sunken")}
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

const CELL = "px-3 py-2 align-middle first:pl-4 last:pr-4"
