// The result on a terminal: a line for each cell, then every fault.
import type { CellResult } from "./run-matrix.ts"

export function drawTable(results: readonly CellResult[]): string {
  const rows = results.map((result) => [result.cell.name, verdictOf(result), timeOf(result)] as const)
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, verdict, time]) => `${name.padEnd(width)}  ${verdict}${time}`)
  const faults = results.flatMap(faultsOf)
  return [...lines, ...(faults.length > 0 ? ["", "FAULTS", ...faults] : []), "", summaryOf(results)].join("\n")
}

/** Whether nothing is red; where `strict`, a cell that could not be built is. */
export const isGreen = (results: readonly CellResult[], strict: boolean): boolean =>
  results.every(
    ({ results, notRun, cell }) => results.every(({ fault }) => !fault) && !(strict && notRun && !cell.open),
  )

function verdictOf({ notRun, results }: CellResult): string {
  if (notRun) return `not run: ${notRun.split("\n").at(-1)}`
  const red = results.filter(({ fault }) => fault).length
  return red === 0 ? `green, ${results.length} scenarios` : `RED, ${red} of ${results.length} scenarios`
}

const timeOf = ({ notRun, seconds }: CellResult): string => (notRun ? "" : ` in ${seconds.toFixed(1)} s`)

/** A fault that all scenarios share is that of the cell. */
function faultsOf({ cell, results }: CellResult): string[] {
  const faults = results.flatMap(({ scenario, fault }) => (fault ? [{ scenario, fault }] : []))
  const shared = faults.length > 1 && new Set(faults.map(({ fault }) => fault)).size === 1
  if (shared) return [`${cell.name}, ${faults.length} scenarios: ${faults[0]?.fault}`]
  return faults.map(({ scenario, fault }) => `${cell.name}, ${scenario.id}: ${fault}`)
}

function summaryOf(results: readonly CellResult[]): string {
  const ran = results.filter(({ notRun }) => !notRun)
  const green = ran.filter(({ results }) => results.every(({ fault }) => !fault)).length
  return `${green} of ${ran.length} cells are green, ${results.length - ran.length} did not run`
}
