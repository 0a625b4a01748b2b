// The part of the matrix page about an earlier commit. It comes from a run of its own, and a run of the matrix keeps it.
import type { Direction } from "../plan.ts"
import type { Previous } from "../previous/previous.ts"
import type { CellResult } from "../run-matrix.ts"
import { COLUMNS, countOf, drawOpen, table } from "./page.ts"

const [BEGIN, END] = [
  "<!-- Written by `npm run conformance -- --previous --write`. -->",
  "<!-- The end of that part. -->",
]

/** The part as it stands in a page; one that was never drawn says so. */
export function keptPart(page: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)]
  return from < 0 || to < 0 ? framed("It has not been run yet.") : page.slice(from, to + END.length)
}

/** The page with its part replaced, or with one at its end. */
export const withPart = (page: string, part: string): string =>
  page.includes(BEGIN) ? page.replace(keptPart(page), () => part) : `${page.trimEnd()}\n\n${part}\n`

export function drawPart(results: readonly CellResult[], { commits }: Pick<Previous, "commits">): string {
  const { earlier = "", current = "" } = commits ?? {}
  const rows: readonly (readonly [string, Direction])[] = [
    [`SDK of ${earlier}, engine of ${current}`, "earlier SDK"],
    [`SDK of ${current}, engine of ${earlier}`, "earlier engine"],
  ]
  const columns = COLUMNS.filter(([, { mode }]) => mode !== "poll" && mode !== "kafka")
  const cells = rows.map(([title, direction]) => [
    title,
    ...columns.map(([, column]) => countOf(results.find((result) => isIn(result, direction, column)))),
  ])
  return framed(table(["", ...columns.map(([title]) => title)], cells).join("\n"), ...drawOpen(results))
}

const isIn = (result: CellResult, direction: Direction, { transport, mode }: (typeof COLUMNS)[number][1]): boolean =>
  result.direction === direction && result.cell.transport === transport && result.cell.mode === mode

const framed = (...lines: readonly string[]): string =>
  [
    BEGIN,
    "## An earlier commit",
    "",
    "Clients and engines are not updated in one moment. The TypeScript SDK of an earlier commit is played against this engine, and this SDK",
    "against that engine, each with the scenarios that both commits have.",
    "",
    ...lines,
    ...(lines.at(-1) === "" ? [] : [""]),
    END,
  ].join("\n")
