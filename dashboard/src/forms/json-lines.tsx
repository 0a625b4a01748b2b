// What lies beside and behind the text of a JSON editor: the numbers of its lines, and what is wrong at them.
import { useMemo } from "react"
import type { Place } from "./json-places.ts"

/** The lines are this high, in the text and beside it: `leading-5`, under a padding of `p-2`. */
export const LINE_PX = 20
const PADDING_PX = 8

/** In columns; a tab is as wide as two. */
export const widthOf = (lines: readonly string[]): number =>
  lines.reduce((widest, line) => Math.max(widest, columnsOf(line)), 0)

const columnsOf = (line: string): number => line.length + (line.split("\t").length - 1)

const topOf = (line: number): number => PADDING_PX + (line - 1) * LINE_PX

export function Gutter({ lines, places }: { readonly lines: number; readonly places: readonly Place[] }) {
  const numbers = useMemo(() => Array.from({ length: lines }, (_, index) => index + 1).join("\n"), [lines])
  return (
    <div aria-hidden="true" className="bg-sunken border-line sticky left-0 z-10 border-r px-2 py-2 select-none">
      <pre className="text-muted relative text-right">{numbers}</pre>
      {[...new Set(places.map(({ line }) => line))].map((line) => (
        <span
          key={line}
          className="bg-bad-soft text-bad absolute inset-x-0 px-2 text-right font-semibold"
          style={{ top: topOf(line) }}
        >
          {line}
        </span>
      ))}
    </div>
  )
}

const inShort = ([first, ...others]: readonly Place[]): string =>
  `${first?.inLine}${others.length > 0 ? ` · and ${others.length} more` : ""}`

/** Each marked line in its colour, with the first thing that is wrong behind its text. */
export function Bands({ places, lines }: { readonly places: readonly Place[]; readonly lines: readonly string[] }) {
  const marked = [...new Set(places.map(({ line }) => line))]
  return (
    <div aria-hidden="true" className="pointer-events-none">
      {marked.map((line) => (
        <div key={line} className="bg-bad-soft absolute inset-x-0 h-5" style={{ top: topOf(line) }}>
          <span
            className="text-bad absolute max-w-[80ch] truncate font-sans"
            style={{ left: `calc(${columnsOf(lines[line - 1] ?? "")}ch + ${PADDING_PX * 3}px)` }}
          >
            {inShort(places.filter((place) => place.line === line))}
          </span>
        </div>
      ))}
    </div>
  )
}
