// What a run of the fuzzer has to tell.
import type { Finding } from "./findings.ts"
import { type FuzzOptions, WIRES } from "./options.ts"
import type { FuzzResult } from "./run-fuzz.ts"

export function drawResult(result: FuzzResult, { seed, wires }: FuzzOptions): string {
  const { findings, seconds, tallies, sizes, resident } = result
  const sent = WIRES.reduce((sum, wire) => sum + tallies[wire].sent, 0)
  const lines = wires.map((wire) => {
    const { sent: count, statuses, succeeded, share } = tallies[wire]
    const valid = `${Math.round(100 * share)} % of the valid ones with success`
    return `${wire}: ${count} requests; ${succeeded.size} of ${sizes[wire]} operations and ${valid}; ${statuses}`
  })
  const memory = `resident size of the engine at most ${resident.join(", ")} MiB in each third`
  const verdict = findings.length === 0 ? "nothing was found" : `${findings.length} things were found`
  const sum = `${sent} requests in ${seconds.toFixed(0)} s, ${memory}: ${verdict}`
  return [...findings.map((finding) => drawFinding(finding, seed)), ...lines, sum].join("\n")
}

function drawFinding({ fault, episode, told, count }: Finding, seed: number): string {
  const again = episode < 0 ? "" : `again: npm run fuzz -- --seed ${seed} --episode ${episode}\n`
  return `FOUND ${count} ×: ${fault}\n${again}${told}\n`
}
