// docs/reference/mutants.md: every mutant, the promise that it breaks, and the test that found it when it was run last.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { code, page, table } from "../reference/table.ts"
import { AREAS, MUTANTS } from "./list.ts"
import type { Mutant } from "./mutant.ts"

interface Killer {
  readonly file: string
  readonly test: string
  readonly seconds: number
}
/** By the mutant's id. */
export type Killers = Readonly<Record<string, Killer>>

export const killersFile = fileURLToPath(new URL("killers.json", import.meta.url))
export const readKillers = (): Killers => JSON.parse(readFileSync(killersFile, "utf8")) as Killers

export function mutantsPage(): string {
  const killers = readKillers()
  const areas = Object.entries(AREAS).flatMap(([area, mutants]) => [`## ${area}`, areaTable(mutants, killers)])
  return page("Mutants", "tools/mutants", [introduction(killers), ...areas, ...equivalents()])
}

function introduction(killers: Killers): string {
  const seconds = Object.values(killers)
    .map((killer) => killer.seconds)
    .sort((a, b) => a - b)
  const [median, longest] = [seconds[seconds.length >> 1] ?? 0, seconds.at(-1) ?? 0]
  return `A mutant is one bug, planted by hand in a copy of the code. \`npm run mutants\` plants ${MUTANTS.filter(isFindable).length} of them, one at a time,
and runs the tests that should know. Below is the promise that each one breaks, and the test that found it. Half of them
were found within ${median} s, the last one after ${longest} s; a busy machine takes longer.`
}

const areaTable = (mutants: readonly Mutant[], killers: Killers): string =>
  table(
    ["mutant", "where", "the promise that it breaks", "found by"],
    mutants.filter(isFindable).map(({ id, file, breaks }) => [code(id), code(file), breaks, told(killers[id])]),
  )

const isFindable = ({ equivalent }: Mutant): boolean => equivalent === undefined
const told = (killer: Killer | undefined): string =>
  killer ? `${killer.test.replaceAll("<", "\\<")} (${code(killer.file.split("/").at(-1) as string)})` : "not run yet"

function equivalents(): string[] {
  const same = MUTANTS.filter((mutant) => !isFindable(mutant))
  if (same.length === 0) return []
  const rows = same.map(({ id, file, equivalent = "" }) => [code(id), code(file), equivalent])
  return ["## Those that change nothing", table(["mutant", "where", "why no test can find it"], rows)]
}
