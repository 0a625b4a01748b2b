// Judges recorded results against the floors: ratios per round, their median and spread, PASS or FAIL.
import { median, round } from "../measure/statistics.mjs"

const US = "millrace"

/** Each rule becomes one check per peer (or one of Millrace alone); a floor passes when all its checks do. */
export function judgeFloor(floor, results) {
  const mine = results.filter((result) => result.workload === floor.workload && result.figures)
  const checks = floor.rules.flatMap((rule) =>
    (rule.against ?? [undefined]).map((peer) => ({ ...rule, peer, ...spreadOf(valuesFor(mine, rule.metric, peer)) })),
  )
  const known = checks.filter((check) => check.runs > 0)
  const missing = [...new Set(checks.filter((check) => check.runs === 0).map((check) => check.peer ?? US))]
  return { checks: known, missing, verdict: verdictOf(known, missing) }
}

/** Median, least and most of Millrace's figure over the peer's, taken inside each round. */
export const ratioTo = (results, metric, peer) => spreadOf(valuesFor(results, metric, peer))

/** What a ratio to an earlier build says: a change is one where the median is 5 % off and every round agrees. */
export function changeOf({ median: middle, least, most }, less) {
  const agrees = least > 1 || most < 1
  if (!agrees || Math.abs(middle - 1) < 0.05) return "as before"
  return middle > 1 === less ? "WORSE" : "better"
}

export function spreadOf(values) {
  const finite = values.filter(Number.isFinite)
  if (finite.length === 0) return { runs: 0 }
  return {
    runs: finite.length,
    median: round(median(finite)),
    least: round(Math.min(...finite)),
    most: round(Math.max(...finite)),
  }
}

function valuesFor(results, metric, peer) {
  const of = (name, at) =>
    results.find((result) => result.contestant === name && result.round === at)?.figures?.[metric]
  const rounds = [...new Set(results.map((result) => result.round))]
  return rounds.map((at) => (peer ? of(US, at) / of(peer, at) : of(US, at)))
}

function verdictOf(checks, missing) {
  if (checks.length === 0) return "not measured"
  if (!checks.every(holds)) return "FAIL"
  return missing.length ? `PASS without ${missing.join(", ")}` : "PASS"
}

const holds = ({ median: value, atLeast = -Infinity, atMost = Infinity, below = Infinity }) =>
  value >= atLeast && value <= atMost && value < below
