// Two Markdown tables: the floors with PASS or FAIL, and every contestant's figures with Millrace's ratio to it.
import { BEFORE } from "../contestants/index.mjs"
import { workloads } from "../workloads/index.mjs"
import { floors } from "./floors.mjs"
import { changeOf, judgeFloor, ratioTo, spreadOf } from "./judge.mjs"
import { CPU, CPU_PER_ITEM, METRICS } from "./metrics.mjs"

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
  const header = [
    "workload",
    "contestant",
    "runs",
    "median (range)",
    "Millrace ÷ it",
    CPU_HEADER,
    "other cores",
    "fsync ms",
  ]
  return table(header, rows)
}

/** Each figure of the working tree over that of the earlier commit, round by round, and what that says. */
export function changesTable(results) {
  const rows = Object.keys(workloads).flatMap((workload) => {
    const all = results.filter((result) => result.workload === workload)
    const cpu = all.some((result) => result.figures?.cpuUs) ? CPU_PER_ITEM : [CPU]
    return unique([...METRICS[workload], ...cpu])
      .map((metric) => changeRow({ workload, metric, all }))
      .filter(Boolean)
  })
  return table(["workload", "figure", "before", "now", "now ÷ before (range)", "verdict"], rows)
}

const unique = (metrics) => metrics.filter(({ metric }, at) => metrics.findIndex((m) => m.metric === metric) === at)

function changeRow({ workload, metric: { metric, unit, less }, all }) {
  const of = (name) => spreadOf(all.filter((r) => r.contestant === name).map((r) => r.figures?.[metric]))
  const [then, now, ratio] = [of(BEFORE), of("millrace"), ratioTo(all, metric, BEFORE)]
  if (!ratio.runs) return undefined
  const shown = `${number(ratio.median)}${range(ratio)}`
  return [workload, `${metric}${unit}`, number(then.median), number(now.median), shown, changeOf(ratio, less)]
}

function figuresRow({ workload, name, all }) {
  const mine = all.filter((result) => result.contestant === name)
  const done = mine.filter((result) => result.figures)
  const each = METRICS[workload].map(({ metric, unit }) => ({
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
    cpuPerItem(done),
    number(spreadOf(done.map((r) => r.figures.otherCores)).median),
    number(spreadOf(done.flatMap((r) => r.fsyncMs)).median),
  ]
}

const CPU_HEADER = "CPU µs per item, Node + store"

function cpuPerItem(done) {
  const [node, store] = CPU_PER_ITEM.map(({ metric }) => spreadOf(done.map((r) => r.figures[metric])))
  return node.runs ? `${number(node.median)} + ${number(store.median)}` : ""
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
