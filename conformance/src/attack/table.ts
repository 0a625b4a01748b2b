// The result on a terminal: a line for each attack, and the sum.
import type { AttackResult } from "./run-attacks.ts"

const WIDTH = 28

export const drawLine = ({ attack, held, told, seconds }: AttackResult): string =>
  `${held ? "held         " : "GOT THROUGH  "}${attack.name.padEnd(WIDTH)}${told} (${seconds.toFixed(1)} s)`

export function drawSum(results: readonly AttackResult[]): string {
  const through = results.filter(({ held }) => !held)
  if (through.length === 0) return `${results.length} attacks, and the guard held against all of them`
  return `${through.length} of ${results.length} attacks got through: ${through.map(({ attack }) => attack.name).join(", ")}`
}
