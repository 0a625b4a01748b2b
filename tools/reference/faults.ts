// docs/reference/faults.md: what may go wrong, what holds then, and the tests that prove it.
import { parse } from "yaml"
import { read } from "../files.ts"
import { page, table } from "./table.ts"
import { type NamedTest, namedTests } from "./test-names.ts"

interface Row {
  readonly title?: string
  readonly fault?: string
  readonly holds: string
  readonly promises?: readonly string[]
  /** Why no test proves it. */
  readonly untested?: string
}

interface Group {
  readonly title: string
  readonly rows: Readonly<Record<string, Row>>
}

type Catalogue = Readonly<Record<"promises" | "faults", Readonly<Record<string, Group>>>>

const SOURCE = "tools/reference/faults.yaml"
const SHOWN = 3

export function faultsPage(): string {
  const catalogue = parse(read(SOURCE)) as Catalogue
  const tests = namedTests()
  const sections = (groups: Readonly<Record<string, Group>>): string[] =>
    Object.values(groups).flatMap(({ title, rows }) => [`### ${title}`, tableOf(rows, tests)])
  return page("Faults", `${SOURCE} and the names of the tests`, [
    "What may go wrong, what holds then, and the tests that prove it. A test is found by the id that its name begins with; of many tests the page shows three. A row that no test proves says why.",
    countOf(catalogue),
    "## Promises",
    ...sections(catalogue.promises),
    "## Faults",
    ...sections(catalogue.faults),
  ])
}

/** What is wrong with the catalogue or with the names of tests. */
export function catalogueFaults(): string[] {
  const rows = new Map(rowsOf(parse(read(SOURCE)) as Catalogue))
  const tests = namedTests()
  const proven = new Set(tests.flatMap(({ ids }) => ids))
  const needless = [...rows]
    .filter(([id, row]) => row.untested && proven.has(id))
    .map(([id]) => `${id}: tested after all`)
  const bare = [...rows]
    .filter(([id, row]) => !row.untested && !proven.has(id))
    .map(([id]) => `${id}: no test, no reason`)
  const promised = [...rows].flatMap(([id, row]) =>
    (row.promises ?? []).filter((name) => !rows.has(name)).map((name) => `${id}: no promise ${name}`),
  )
  const unknown = tests.flatMap(({ path, ids }) =>
    ids.filter((id) => /^[FSLG]\d+$/.test(id) && !rows.has(id)).map((id) => `${path}: no row ${id}`),
  )
  return [...needless, ...bare, ...promised, ...unknown]
}

const rowsOf = (catalogue: Catalogue): [string, Row][] =>
  [catalogue.promises, catalogue.faults].flatMap(Object.values<Group>).flatMap(({ rows }) => Object.entries(rows))

function countOf(catalogue: Catalogue): string {
  const rows = rowsOf(catalogue)
  const untested = rows.filter(([, row]) => row.untested).length
  return `${rows.length} rows; ${rows.length - untested} have a test, ${untested} a reason instead.`
}

function tableOf(rows: Readonly<Record<string, Row>>, tests: readonly NamedTest[]): string {
  const cells = Object.entries(rows).map(([id, { title, fault, holds, promises = [], untested }]) => {
    const kept = promises.length > 0 ? ` (${promises.join(", ")})` : ""
    return [id, fault ?? title ?? "", `${holds}${kept}`, untested ? `*none:* ${untested}` : linksTo(id, tests)]
  })
  return table(["id", "", "what holds", "tests"], cells)
}

/** First those that are about this id before all others. */
function linksTo(id: string, tests: readonly NamedTest[]): string {
  const about = tests.filter(({ ids }) => ids.includes(id)).sort((a, b) => a.ids.indexOf(id) - b.ids.indexOf(id))
  const shown = about.slice(0, SHOWN).map(({ path, sentence }) => `[${sentence}](../../${path})`)
  const files = [...new Set(about.slice(SHOWN).map(({ path }) => path))].map((path) => link(path)).sort()
  const more = files.length > 0 ? [`and ${about.length - SHOWN} more in ${files.join(", ")}`] : []
  return [...shown, ...more].join("<br>")
}

const link = (path: string): string => `[${path.split("/").at(-1)}](../../${path})`
