// The matrix page of the docs, made from the result of a whole run.
import { type Cell, LEGACY, SDKS, type Sdk } from "../../scenarios/matrix.ts"
import { type Scenario, scenarios } from "../../scenarios/scenario.ts"
import type { CellResult } from "../run-matrix.ts"

/** `previous` is the part about an earlier commit, which a run of its own draws. */
export const drawPage = (results: readonly CellResult[], previous: string): string =>
  [
    "<!-- Written by `npm run conformance -- --write`. -->",
    "# Conformance",
    "",
    `${scenarios.length} [scenarios](../../conformance/scenarios/README.md), written once as data, are played with every SDK over every transport and in every way`,
    "that jobs reach a worker: one by one (poll), reports and claims in one call (exchange), pushed (stream), or through Kafka. The suite reads the",
    "audit trail over REST in every cell. Each number below is how many scenarios passed.",
    "",
    ...drawCells(results),
    "",
    ...drawOpen(results),
    "The legacy rows are clients made from the numbers below 100 of `engine.proto` alone: no token, metadata, deadline or heartbeat, a lease of",
    `0 seconds, short polls. They are not asked what they cannot say: ${leftOut()}.`,
    "Over gRPC they also do what a tool without stubs does: reflection gives them the service and a call of it, whose long poll ends at their",
    "deadline of 50 ms, and health answers.",
    "",
    "Through Kafka some scenarios cannot hold, and those cells leave them out:",
    "",
    ...scenarios.flatMap(({ id, notInKafka }) => (notInKafka ? [`- \`${id}\`: ${notInKafka}`] : [])),
    "",
    "## Scenarios",
    "",
    "A tick is every cell of the SDK; a number is how many of its cells passed.",
    "",
    ...drawScenarios(results),
    "",
    previous,
    "",
  ].join("\n")

export const COLUMNS: readonly (readonly [string, Pick<Cell, "transport" | "mode">])[] = [
  ["REST poll", { transport: "rest", mode: "poll" }],
  ["REST exchange", { transport: "rest", mode: "exchange" }],
  ["gRPC poll", { transport: "grpc", mode: "poll" }],
  ["gRPC exchange", { transport: "grpc", mode: "exchange" }],
  ["gRPC stream", { transport: "grpc", mode: "stream" }],
  ["Kafka, REST", { transport: "rest", mode: "kafka" }],
  ["Kafka, gRPC", { transport: "grpc", mode: "kafka" }],
]
const ROWS: readonly Sdk[] = [...SDKS, ...LEGACY]

function drawCells(results: readonly CellResult[]): string[] {
  const cell = (sdk: Sdk, { transport, mode }: Pick<Cell, "transport" | "mode">) =>
    results.find(({ cell }) => cell.sdk === sdk && cell.transport === transport && cell.mode === mode)
  return table(
    ["", ...COLUMNS.map(([title]) => title)],
    ROWS.map((sdk) => [sdk, ...COLUMNS.map(([, column]) => countOf(cell(sdk, column)))]),
  )
}

export function countOf(result: CellResult | undefined): string {
  if (!result) return ""
  if (result.notRun) return "not run"
  const passed = result.results.filter(({ fault }) => !fault).length
  return passed === result.results.length ? `${passed}` : `**${passed} of ${result.results.length}**`
}

/** Cells that did not run, by reason. */
export function drawOpen(results: readonly CellResult[]): string[] {
  const reasons = new Map<string, string[]>()
  for (const { cell, notRun } of results)
    if (notRun) reasons.set(firstLine(notRun), [...(reasons.get(firstLine(notRun)) ?? []), cell.name])
  const lines = [...reasons].map(([reason, names]) => `- ${names.join(", ")}: ${reason}`)
  return lines.length > 0 ? ["Not run:", "", ...lines, ""] : []
}

const firstLine = (text: string): string => text.split("\n")[0] ?? ""

const leftOut = (): string =>
  scenarios.flatMap(({ id, needs }) => (needs ? [`\`${id}\` (needs ${needs})`] : [])).join(", ")

const drawScenarios = (results: readonly CellResult[]): string[] =>
  table(
    ["scenario", "what holds", "proves", ...ROWS],
    scenarios.map((scenario) => [
      `[${scenario.id}](../../conformance/scenarios/${scenario.id}.json)`,
      scenario.title,
      scenario.proves.join(", "),
      ...ROWS.map((sdk) => ticksOf(results, scenario, sdk)),
    ]),
  )

function ticksOf(results: readonly CellResult[], scenario: Scenario, sdk: Sdk): string {
  const runs = results
    .filter(({ cell }) => cell.sdk === sdk)
    .flatMap(({ results }) => results.filter((result) => result.scenario.id === scenario.id))
  const passed = runs.filter(({ fault }) => !fault).length
  if (runs.length === 0) return "–"
  return passed === runs.length ? "✓" : `**${passed} of ${runs.length}**`
}

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`)
