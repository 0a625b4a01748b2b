// Downstreams as a table: what each may take, what it takes now, and how it stands.

import type { Style } from "./paint.ts"
import type { PauseAnswer } from "./pause-picture.ts"
import { type Canvas, facts, table } from "./table.ts"
import { count, rate, relative } from "./times.ts"

export interface DownstreamAnswer {
  readonly name: string
  readonly perSecond?: number
  readonly concurrency?: number
  readonly adaptive: boolean
  readonly share: number
  readonly effectivePerSecond?: number
  readonly slowedAt?: string
  readonly closedUntil?: string
  readonly inFlight: number
  readonly waiting: number
  readonly waitingIsExact: boolean
}

interface Downstreams {
  readonly items: readonly DownstreamAnswer[]
  readonly pauses: readonly PauseAnswer[]
}

export function drawDownstreams({ items, pauses }: Downstreams, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["No downstream has limits, and no job has named one."]
  const isPaused = ({ name }: DownstreamAnswer) => pauses.some((pause) => pause.name === name)
  return table<DownstreamAnswer>(
    [
      { title: "DOWNSTREAM", of: ({ name }) => name, style: () => "bold", cutTo: 16 },
      { title: "PER SECOND", of: pace, align: "right" },
      { title: "IN FLIGHT", of: flights, align: "right" },
      { title: "WAITING", of: waiting, align: "right" },
      { title: "ADAPTIVE", of: ({ adaptive }) => (adaptive ? "yes" : "no"), extra: true },
      {
        title: "STATE",
        of: (row) => stateOf(row, isPaused(row)),
        style: (row) => styleOf(row, isPaused(row)),
        cutTo: 10,
      },
    ],
    items,
    canvas,
  )
}

export const drawDownstream = (row: DownstreamAnswer, canvas: Canvas): readonly string[] =>
  facts(
    [
      ["Downstream", row.name],
      ["Per second", pace(row)],
      ["In flight", flights(row)],
      ["Waiting", waiting(row)],
      ["Adaptive", row.adaptive ? "yes: it slows down when it is pushed back" : "no"],
      ["State", stateOf(row, false)],
    ],
    canvas,
  )

/** Where it has pushed back, what is left of the limit stands before it. */
const pace = ({ perSecond, effectivePerSecond = perSecond }: DownstreamAnswer): string => {
  if (perSecond === undefined) return "no limit"
  const [now, limit] = [rate(effectivePerSecond ?? perSecond), rate(perSecond)]
  return now === limit ? limit : `${now} of ${limit}`
}

const flights = ({ inFlight, concurrency }: DownstreamAnswer): string =>
  concurrency === undefined ? count(inFlight) : `${count(inFlight)} of ${count(concurrency)}`

const waiting = ({ waiting, waitingIsExact }: DownstreamAnswer): string =>
  `${waitingIsExact ? "" : "over "}${count(waiting)}`

const isClosed = ({ closedUntil }: DownstreamAnswer): boolean =>
  closedUntil !== undefined && Date.parse(closedUntil) > Date.now()

function stateOf(row: DownstreamAnswer, isPaused: boolean): string {
  if (isPaused) return "paused"
  if (isClosed(row)) return `closed, opens ${relative(row.closedUntil, Date.now())}`
  if (row.share < 1) return `slowed to ${Math.round(100 * row.share)} %, ${relative(row.slowedAt, Date.now())}`
  return "ok"
}

function styleOf(row: DownstreamAnswer, isPaused: boolean): Style {
  if (isPaused) return "yellow"
  return isClosed(row) ? "red" : row.share < 1 ? "yellow" : "green"
}
