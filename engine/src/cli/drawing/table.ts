// Tables in columns, fitted to the terminal: what must be copied is kept whole, what can be cut is cut, what is extra goes.
import { cellText, cut, pad, widthOf } from "./cell-text.ts"
import type { Paint, Style } from "./paint.ts"

export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => unknown
  readonly align?: "right"
  readonly style?: (row: Row) => Style | undefined
  /** May be cut down to this many columns. Without it the column is kept whole. */
  readonly cutTo?: number
  /** Left out where there is no room for it; the last such column goes first. */
  readonly extra?: boolean
  /** Left out where no row has anything in it. */
  readonly ifAny?: boolean
}

export interface Canvas {
  /** Undefined without a terminal: nothing is cut then. */
  readonly width: number | undefined
  readonly paint: Paint
}

const GAP = 2

export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], { width, paint }: Canvas): string[] {
  const filled = columns
    .map((column) => fill(column, rows))
    .filter(({ ifAny, cells }) => !ifAny || cells.some((cell) => cell !== ""))
  const shown = fit(filled, width)
  const line = (text: (column: Filled<Row>) => string) => shown.map(text).join(" ".repeat(GAP)).trimEnd()
  const cells = (at: number) => (column: Filled<Row>) => {
    const text = pad(cut(column.cells[at] as string, column.width), column.width, column.align)
    const style = column.style?.(rows[at] as Row)
    return style ? paint(style, text) : text
  }
  const titles = line(({ title, width: wide, align }) => paint("bold", pad(cut(title, wide), wide, align)))
  return [titles, ...rows.map((_, at) => line(cells(at)))]
}

export type Fact = readonly [name: string, value: unknown, style?: Style | undefined]

/** Facts about one thing, a line each; what is not known has none. */
export function facts(entries: readonly Fact[], { width, paint }: Canvas): string[] {
  const given = entries.filter(([, value]) => value !== undefined && value !== null && value !== "")
  const wide = Math.max(...given.map(([name]) => widthOf(name)))
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(10, width - wide - GAP)
  return given.map(([name, value, style]) => {
    const text = cut(cellText(value), room)
    return `${paint("cyan", pad(name, wide))}${" ".repeat(GAP)}${style ? paint(style, text) : text}`
  })
}

type Filled<Row> = Column<Row> & { readonly cells: readonly string[]; width: number }

function fill<Row>(column: Column<Row>, rows: readonly Row[]): Filled<Row> {
  const cells = rows.map((row) => cellText(column.of(row) ?? ""))
  return { ...column, cells, width: Math.max(widthOf(column.title), ...cells.map(widthOf)) }
}

function fit<Row>(columns: readonly Filled<Row>[], width: number | undefined): readonly Filled<Row>[] {
  if (width === undefined) return columns
  let shown = columns
  while (least(shown) > width) {
    const goes = shown.findLast(({ extra }) => extra)
    if (!goes) break
    shown = shown.filter((column) => column !== goes)
  }
  narrow(shown, total(shown) - width)
  return shown
}

const total = (columns: readonly { width: number }[]): number =>
  columns.reduce((sum, column) => sum + column.width, GAP * (columns.length - 1))

const least = <Row>(columns: readonly Filled<Row>[]): number =>
  total(columns.map(({ width, cutTo = width }) => ({ width: Math.min(width, cutTo) })))

/** The widest of those that may be cut gives first, so that they end up alike. */
function narrow<Row>(columns: readonly Filled<Row>[], excess: number): void {
  for (let left = excess; left > 0; left--) {
    const wide = columns.filter(({ width, cutTo = width }) => width > cutTo)
    if (wide.length === 0) return
    const widest = wide.reduce((most, column) => (column.width > most.width ? column : most))
    widest.width -= 1
  }
}
