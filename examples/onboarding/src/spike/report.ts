// What a run of the spike has to say for itself, as lines of text.
import type { Stats } from "../services/tally.ts"
import { percentile } from "./percentile.ts"
import type { SpikeReport } from "./run-spike.ts"
import { sumOf } from "./verdict.ts"

const SHOWN_FAULTS = 10
const COLUMNS = ["calls", "repeated", "refused", "lost", "effects", "doubled", "mostAtOnce"] as const

export function linesOf(report: SpikeReport): readonly string[] {
  return ["", ...figures(report), "", ...services(report), "", ...verdict(report)]
}

function figures({ options, distinct, p95Ms, sent, drainedMs, lostAt, dunned }: SpikeReport): string[] {
  const { submissions, workers, concurrency, spikeMs } = options
  const slots = workers * concurrency
  const perMinute = (seconds: number) => number(60 / seconds)
  return [
    `p95 of a run on its own     ${(p95Ms / 1000).toFixed(3)} s: one worker ≈ ${perMinute(p95Ms / 1000 / concurrency)} a minute`,
    `capacity                    ${workers} workers × ${concurrency} at a time × 60 / p95 = ${perMinute(p95Ms / 1000 / slots)} a minute`,
    `measured                    ${number(distinct / (drainedMs / 60_000))} a minute`,
    `arrived                     ${number(submissions)} in ${spikeMs / 1000} s, ${number(submissions - distinct)} of them duplicates; accepted in ${percentile(sent.latenciesMs, 0.5).toFixed(1)} ms, p99 ${percentile(sent.latenciesMs, 0.99).toFixed(1)} ms`,
    `done                        ${(drainedMs / 1000).toFixed(0)} s after the first came; ${lostAt.length} workers killed on the way`,
    `cards for the dunning flow  ${number(dunned)}`,
  ]
}

function services({ stats }: SpikeReport): string[] {
  const row = (name: string, cells: readonly (string | number)[]) =>
    name.padEnd(10) + cells.map((cell) => String(cell).padStart(12)).join("")
  const cells = (of: Stats) => COLUMNS.map((column) => number(of[column]))
  return [row("", COLUMNS), ...Object.entries(stats).map(([name, of]) => row(name, cells(of)))]
}

function verdict({ early, distinct, verdict: { complete, failed, faults }, stats }: SpikeReport): string[] {
  if (faults.length > 0) return ["NOT AS IT SHOULD BE", ...faults.slice(0, SHOWN_FAULTS)]
  return [
    `${number(early + distinct)} submissions, ${number(early)} of them before the spike: each exists once, none lost, none doubled`,
    `${number(complete)} runs COMPLETE, ${number(failed)} FAILED, all of those on purpose`,
    `${number(sumOf(stats, "repeated"))} calls repeated, ${number(sumOf(stats, "doubled"))} effects doubled`,
  ]
}

const number = (value: number): string => Math.round(value).toLocaleString("en")
