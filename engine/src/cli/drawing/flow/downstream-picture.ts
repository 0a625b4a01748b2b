// Downstreams as a table: what each may take, what it takes now, and how it stands.
import type { wire } from "@millrace/sdk"
import type { Style } from "../paint.ts"
import { type Canvas, facts, table } from "../table.ts"
import { count, rate, relative } from "../times.ts"

interface Downstreams {
  readonly items: readonly wire.Downstream[]
  readonly pauses: readonly wire.Pause[]
}

export function drawDownstreams({ items, pauses }: Downstreams, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["No downstream has limits, and no job has named one."]
  const isPaused = ({ name }: wire.Downstream) => pauses.some((pause) => pause.name === name)
  return table<wire.Downstream>(
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

export const drawDownstream = (row: wire.Downstream, canvas: Canvas): readonly string[] =>
  facts(
    [
      ["Downstream", row.name],
      ["Per second", pace(row)],
      ["In flight", row.concurrency === undefined ? `${flights(row)}, no limit` : flights(row)],
      ["Waiting", waiting(row)],
      ["Adaptive", row.adaptive ? "yes: it slows down when it is pushed back" : "no"],
      ["State", stateOf(row, false)],
    ],
    canvas,
  )

/** Where it has pushed back, what is left of the limit stands before it. */
const pace = ({ perSecond, effectivePerSecond = perSecond }: wire.Downstream): string => {
  if (perSecond === undefined) return "no limit"
  const [now, limit] = [rate(effectivePerSecond ?? perSecond), rate(perSecond)]
  return now === limit ? limit : `${now} of ${limit}`
}

const flights = ({ inFlight, concurrency }: wire.Downstream): string =>
  concurrency === undefined ? count(inFlight) : `${count(inFlight)} of ${count(concurrency)}`

const waiting = ({ waiting, waitingIsExact }: wire.Downstream): string =>
  `${waitingIsExact ? "" : "over "}${count(waiting)}`

const isClosed = ({ closedUntil }: wire.Downstream): boolean =>
  closedUntil !== undefined && Date.parse(closedUntil) > Date.now()

function stateOf(row: wire.Downstream, isPaused: boolean): string {
  if (isPaused) return "paused"
  if (isClosed(row)) return `closed, opens ${relative(row.closedUntil, Date.now())}`
  if (row.share < 1) return `slowed to ${Math.round(100 * row.share)} %, ${relative(row.slowedAt, Date.now())}`
  return "ok"
}

function styleOf(row: wire.Downstream, isPaused: boolean): Style {
  if (isPaused) return "yellow"
  return isClosed(row) ? "red" : row.share < 1 ? "yellow" : "green"
}
