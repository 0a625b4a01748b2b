// Two Markdown tables: the floors with PASS or FAIL, and every contestant's figures with Millrace's ratio to it.
import { BEFORE } from "../contestants/index.mjs"
import { workloads } from "../workloads/index.mjs"
import { floors } from "./floors.mjs"
import { changeOf, judgeFloor, ratioTo, spreadOf } from "./judge.mjs"

// The figures shown per workload: name in the results, unit, and whether a ratio between contestants makes sense.
const METRICS = {
  start: [["perS", "/s"]],
  workflows: [["perS", "/s"]],
  drain: [["perS", "/s"]],
  idle: [
    ["p50Ms", " ms p50"],
    ["p99Ms", " ms p99"],
  ],
  "idle-rest": [
    ["p50Ms", " ms p50"],
    ["p99Ms", " ms p99"],
    ["ratio", " × in process"],
  ],
  "idle-grpc": [
    ["p50Ms", " ms p50"],
    ["p99Ms", " ms p99"],
    ["ratio", " × REST"],
  ],
  "start-grpc": [
    ["p50Ms", " ms p50"],
    ["p50Ratio", " × REST"],
    ["perS", "/s"],
    ["rateRatio", " × REST"],
  ],
  steady: [
    ["p50Ms", " ms p50"],
    ["p99Ms", " ms p99"],
    ["cpuS", " CPU s"],
  ],
  history: [
    ["ratio", " of empty"],
    ["keptPerS", "/s"],
  ],
  snapshot: [
    ["ratio", " of before"],
    ["heldPerS", "/s"],
  ],
  quiet: [["statementsPerS", " statements/s"]],
  intake: [
    ["ratio", " of a bare route"],
    ["perS", "/s"],
  ],
  gateway: [
    ["ratio", " of a bare proxy"],
    ["perS", "/s"],
    ["p99Ratio", " × its p99"],
  ],
  "guard-intake": [
    ["offPerS", "/s without"],
    ["memoryRatio", " of it in memory"],
    ["redisRatio", " on Redis"],
    ["memoryAddedMs", " ms more p99 in memory"],
    ["redisAddedMs", " ms on Redis"],
  ],
  "list-restart": [["stepsPerS", " steps/s"]],
  "list-resume": [["stepsPerS", " steps/s"]],
  "list-function": [["stepsPerS", " steps/s"]],
  "jobs-single": [["perS", "/s"]],
  "jobs-bulk": [["perS", "/s"]],
  "jobs-drain": [["perS", "/s"]],
  "jobs-lanes": [
    ["ratio", " of one lane"],
    ["lanesPerS", "/s"],
  ],
  "jobs-tenants": [["lastStartMs", " ms to the last start"]],
  "jobs-gate": [
    ["ratio", " of without"],
    ["onPerS", "/s"],
  ],
  "jobs-overload": [
    ["goodput", " of peak"],
    ["waitOfBound", " of the longest wait allowed"],
    ["backS", " s to be back"],
  ],
  abuse: [
    ["ratio", " of the second third"],
    ["lastMiB", " MiB"],
    ["calls", " calls"],
  ],
  poison: [
    ["ratio", " of without"],
    ["lateMs", " ms late"],
    ["busyRatio", " beside busy ones"],
    ["rssMiB", " MiB"],
  ],
  "jobs-pace": [
    ["slowPerS", " of 50/s"],
    ["fastPerS", " of 500/s"],
    ["restInTime", " of the rest in time"],
  ],
  "jobs-http": [
    ["perS", " requests/s"],
    ["p50Ms", " ms p50"],
    ["p95Ms", " ms p95"],
    ["p99Ms", " ms p99"],
  ],
  "jobs-retry": [
    ["completed", " completed"],
    ["seconds", " s"],
  ],
  "ui-lists": [["worstP95Ms", " ms worst p95"]],
  "ui-paint": [
    ["scriptKb", " kB of JavaScript"],
    ["firstPaintMs", " ms to the first paint"],
    ["graphMs", " ms to the graph"],
    ["frameP95Ms", " ms p95 per frame"],
  ],
  "ui-watchers": [
    ["ratio", " × unwatched"],
    ["watchedMs", " ms of CPU per job"],
  ],
  doctor: [["seconds", " s"]],
  "kafka-producer": [
    ["perS", "/s"],
    ["barePerS", "/s by the client alone"],
    ["smallPerS", "/s in batches of 200"],
    ["ratio", " × the client alone"],
  ],
  "kafka-relay": [
    ["perS", "/s"],
    ["barePerS", "/s by the client alone"],
    ["ratio", " × the client alone"],
    ["ownMs", " ms to the broker"],
    ["ownP99Ms", " ms p99"],
    ["callersMs", " ms of a caller's transaction"],
    ["callersP99Ms", " ms p99"],
    ["callersMaxMs", " ms at most"],
  ],
  "kafka-dispatch": [
    ["drainRatio", " × polling's rate"],
    ["idleRatio", " × polling's delay"],
  ],
}

export function floorsTable(results) {
  const measured = floors.filter((floor) => results.some((result) => result.workload === floor.workload))
  const rows = measured.map((floor) => {
    const { checks, verdict } = judgeFloor(floor, results)
    const shown = checks.map((check) => `${label(check)} ${number(check.median)}${range(check)}`).join("; ")
    return [floor.workload, floor.text, shown || "–", verdict]
  })
  return table(["workload", "floor", "Millrace (median of rounds, range)", "verdict"], rows)
}

export function figuresTable(results) {
  const rows = Object.keys(workloads).flatMap((workload) => {
    const all = results.filter((result) => result.workload === workload)
    return [...new Set(all.map((result) => result.contestant))].map((name) => figuresRow({ workload, name, all }))
  })
  return table(["workload", "contestant", "runs", "median (range)", "Millrace ÷ it", "other cores", "fsync ms"], rows)
}

/** Each figure of the working tree over that of the earlier commit, round by round, and what that says. */
export function changesTable(results) {
  const rows = Object.keys(workloads).flatMap((workload) => {
    const all = results.filter((result) => result.workload === workload)
    return [...METRICS[workload], CPU].map((metric) => changeRow({ workload, metric, all })).filter(Boolean)
  })
  return table(["workload", "figure", "before", "now", "now ÷ before (range)", "verdict"], rows)
}

const CPU = ["cpuS", " s of CPU"]

function changeRow({ workload, metric: [metric, unit], all }) {
  const of = (name) => spreadOf(all.filter((r) => r.contestant === name).map((r) => r.figures?.[metric]))
  const [then, now, ratio] = [of(BEFORE), of("millrace"), ratioTo(all, metric, BEFORE)]
  if (!ratio.runs) return undefined
  const shown = `${number(ratio.median)}${range(ratio)}`
  return [workload, `${metric}${unit}`, number(then.median), number(now.median), shown, changeOf(metric, ratio)]
}

function figuresRow({ workload, name, all }) {
  const mine = all.filter((result) => result.contestant === name)
  const done = mine.filter((result) => result.figures)
  const each = METRICS[workload].map(([metric, unit]) => ({
    metric,
    unit,
    ...spreadOf(done.map((r) => r.figures[metric])),
  }))
  const figures = each
    .filter((e) => e.runs)
    .map((e) => `${number(e.median)}${e.unit}${range(e)}`)
    .join(", ")
  const ratios = each.map(({ metric }) => ratioTo(all, metric, name)).filter((ratio) => ratio.runs)
  return [
    workload,
    `${name} ${done[0]?.version ?? ""}`.trim(),
    done.length === mine.length ? String(mine.length) : `${done.length} of ${mine.length}`,
    figures || `failed: ${mine[0].error.split("\n", 1)[0].slice(0, 90)}`,
    name === "millrace" ? "" : ratios.map((ratio) => `${number(ratio.median)}${range(ratio)}`).join(", "),
    number(spreadOf(done.map((r) => r.figures.otherCores)).median),
    number(spreadOf(done.flatMap((r) => r.fsyncMs)).median),
  ]
}

const label = ({ metric, peer }) => (peer ? `${metric} ÷ ${peer}:` : `${metric}:`)

const range = ({ runs, least, most }) => (runs > 1 ? ` (${number(least)}–${number(most)})` : "")

function number(value) {
  if (value === undefined) return ""
  return value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) >= 100 ? 0 : 2 })
}

function table(header, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n")
}
