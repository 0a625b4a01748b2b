// The priorities as a picture: depth against the watermarks, gate, share of the claims, and what else an operator must see.
import type { wire } from "@millrace/sdk"
import { type Level, levelBar, levelStyle } from "../progress-bar.ts"
import { type Canvas, type Column, table } from "../table.ts"
import { count, plural, span } from "../times.ts"
import { drawPauses } from "./pause-picture.ts"

export interface QueuePicture {
  readonly metrics: wire.QueueMetrics
  readonly weights: wire.WeightsInForce
  readonly pauses: readonly wire.Pause[]
}

interface Row extends Level {
  readonly name: string
  readonly share: number | undefined
  readonly isPaused: boolean
  readonly oldestSeconds: number | undefined
}

const BAR = 20

const columns: readonly Column<Row>[] = [
  { title: "PRIORITY", of: ({ name }) => name, style: ({ name }) => (name === "total" ? "dim" : "bold") },
  { title: "DEPTH", of: ({ depth }) => count(depth), align: "right" },
  { title: "LEVEL", of: (row) => levelBar(row, BAR), style: levelStyle },
  { title: "SHUTS AT", of: ({ high }) => count(high), align: "right", extra: true },
  { title: "OPENS AT", of: ({ low }) => count(low), align: "right", extra: true },
  { title: "GATE", of: stateOf, style: (row) => (row.shut ? "red" : row.isPaused ? "yellow" : "green") },
  { title: "SHARE", of: ({ share }) => (share === undefined ? "" : `${share} %`), align: "right", extra: true },
]

const oldest: Column<Row> = {
  title: "OLDEST",
  of: ({ oldestSeconds }) => (oldestSeconds ? span(1_000 * oldestSeconds) : ""),
  align: "right",
}

export function drawQueues(picture: QueuePicture, canvas: Canvas): readonly string[] {
  const { metrics, pauses } = picture
  const rows = Object.entries(metrics.gates).map(([name, gate]) => rowOf(name as GateName, gate, picture))
  const shown = rows.some(({ oldestSeconds }) => oldestSeconds !== undefined) ? [...columns, oldest] : columns
  return [
    ...table(shown, rows, canvas),
    "",
    ...rows.filter(({ shut }) => shut).map((row) => canvas.paint("red", refusal(row))),
    deadLetters(metrics),
    ...(pauses.length > 0 ? ["", ...drawPauses(pauses, canvas)] : []),
  ]
}

type GateName = keyof wire.QueueMetrics["gates"]

const rowOf = (name: GateName, gate: wire.QueueMetrics["gates"][GateName], { weights, pauses }: QueuePicture): Row => ({
  name,
  depth: gate.depth,
  high: gate.high_watermark,
  low: gate.low_watermark,
  shut: gate.shut,
  share: name === "total" ? undefined : weights[name],
  isPaused: pauses.some((pause) => pause.kind === "queue" && pause.name === name),
  oldestSeconds: ("oldest_waiting_seconds" in gate ? gate.oldest_waiting_seconds : undefined) ?? undefined,
})

function stateOf({ shut, isPaused }: Row): string {
  if (isPaused) return shut ? "shut, paused" : "paused"
  return shut ? "shut" : "open"
}

const refusal = ({ name, low }: Row): string => `${name} is full: new jobs are refused until it is below ${count(low)}.`

function deadLetters({ dlq_depth: depth, dlq_depth_is_exact: isExact }: wire.QueueMetrics): string {
  if (depth === 0) return "No dead letters."
  return isExact
    ? `${plural(depth, "dead letter")}: see \`millrace dead-letters\`.`
    : `More than ${count(depth)} dead letters: \`millrace dead-letters groups\` tells why.`
}
