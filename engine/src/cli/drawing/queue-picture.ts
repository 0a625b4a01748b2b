// The lanes as a picture: depth against the watermarks, gate, share of the claims, and what else an operator must see.
import type { Priority } from "../../model/definitions/definition.ts"
import type { WeightsAnswer } from "../commands/weight-commands.ts"
import { drawPauses, type PauseAnswer } from "./pause-picture.ts"
import { type Level, levelBar, levelStyle } from "./progress-bar.ts"
import { type Canvas, type Column, table } from "./table.ts"
import { count, plural, span } from "./times.ts"

interface GateAnswer {
  readonly depth: number
  readonly high_watermark: number
  readonly low_watermark: number
  readonly shut: boolean
  readonly oldest_waiting_seconds?: number | null
}

export interface QueueMetrics {
  readonly gates: Readonly<Record<string, GateAnswer>>
  readonly dlq_depth: number
  readonly dlq_depth_is_exact?: boolean
}

export interface QueuePicture {
  readonly metrics: QueueMetrics
  readonly weights: WeightsAnswer
  readonly pauses: readonly PauseAnswer[]
}

interface Lane extends Level {
  readonly name: string
  readonly share: number | undefined
  readonly isPaused: boolean
  readonly oldestSeconds: number | undefined
}

const BAR = 20

const columns: readonly Column<Lane>[] = [
  { title: "LANE", of: ({ name }) => name, style: ({ name }) => (name === "total" ? "dim" : "bold") },
  { title: "DEPTH", of: ({ depth }) => count(depth), align: "right" },
  { title: "LEVEL", of: (lane) => levelBar(lane, BAR), style: levelStyle },
  { title: "HIGH", of: ({ high }) => count(high), align: "right", extra: true },
  { title: "LOW", of: ({ low }) => count(low), align: "right", extra: true },
  { title: "GATE", of: stateOf, style: (lane) => (lane.shut ? "red" : lane.isPaused ? "yellow" : "green") },
  { title: "SHARE", of: ({ share }) => (share === undefined ? "" : `${share} %`), align: "right", extra: true },
]

const oldest: Column<Lane> = {
  title: "OLDEST",
  of: ({ oldestSeconds }) => (oldestSeconds ? span(1_000 * oldestSeconds) : ""),
  align: "right",
}

export function drawQueues({ metrics, weights, pauses }: QueuePicture, canvas: Canvas): readonly string[] {
  const lanes = Object.entries(metrics.gates).map(([name, gate]) => laneOf(name, gate, weights, pauses))
  const shown = lanes.some(({ oldestSeconds }) => oldestSeconds !== undefined) ? [...columns, oldest] : columns
  return [
    ...table(shown, lanes, canvas),
    "",
    ...lanes.filter(({ shut }) => shut).map((lane) => canvas.paint("red", refusal(lane))),
    deadLetters(metrics),
    ...(pauses.length > 0 ? ["", ...drawPauses(pauses, canvas)] : []),
  ]
}

const laneOf = (
  name: string,
  gate: GateAnswer,
  weights: QueuePicture["weights"],
  pauses: readonly PauseAnswer[],
): Lane => ({
  name,
  depth: gate.depth,
  high: gate.high_watermark,
  low: gate.low_watermark,
  shut: gate.shut,
  share: name === "total" ? undefined : weights[name as Priority],
  isPaused: pauses.some((pause) => pause.kind === "queue" && pause.name === name),
  oldestSeconds: gate.oldest_waiting_seconds ?? undefined,
})

function stateOf({ shut, isPaused }: Lane): string {
  if (isPaused) return shut ? "shut, paused" : "paused"
  return shut ? "shut" : "open"
}

const refusal = ({ name, low }: Lane): string =>
  `${name} is full: new jobs are refused until it is below ${count(low)}.`

function deadLetters({ dlq_depth: depth, dlq_depth_is_exact: isExact = true }: QueueMetrics): string {
  if (depth === 0) return "No dead letters."
  return isExact
    ? `${plural(depth, "dead letter")}: see \`millrace dlq\`.`
    : `More than ${count(depth)} dead letters: \`millrace dlq groups\` tells why.`
}
