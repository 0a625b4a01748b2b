// Sinks and the events that they did not take, as tables.
import type { wire } from "@millrace/sdk"
import type { Style } from "./paint.ts"
import { type Canvas, table } from "./table.ts"
import { count, rate, relative, span } from "./times.ts"

export function drawSinks({ items }: wire.SinkList, canvas: Canvas): readonly string[] {
  if (items.length === 0)
    return ["There are no sinks: events are kept until one is registered, or until they are retired."]
  return table<wire.Sink>(
    [
      { title: "SINK", of: ({ name }) => name, style: () => "bold", cutTo: 16 },
      { title: "KIND", of: ({ kind }) => kind, extra: true },
      { title: "WAITING", of: ({ depth }) => count(depth), align: "right" },
      { title: "OLDEST", of: ({ lagSeconds }) => (lagSeconds > 0 ? span(1_000 * lagSeconds) : ""), align: "right" },
      { title: "PER SECOND", of: ({ perSecond }) => rate(perSecond), align: "right" },
      { title: "PARKED", of: ({ parked }) => count(parked), align: "right", style: parkedStyle },
      { title: "LEADER", of: ({ leader }) => leader ?? "none", cutTo: 8, extra: true },
      { title: "STATE", of: stateOf, style: styleOf, cutTo: 12 },
    ],
    items,
    canvas,
  )
}

const parkedStyle = ({ parked }: wire.Sink): Style => (parked > 0 ? "yellow" : "dim")

function stateOf({ leader, failures, lastError, retryAt }: wire.Sink): string {
  if (failures > 0) return `takes nothing, tried again ${relative(retryAt, Date.now())}: ${lastError ?? ""}`
  return leader === undefined ? "no process sends to it" : "ok"
}

const styleOf = ({ leader, failures }: wire.Sink): Style => (failures > 0 || leader === undefined ? "red" : "green")

export function drawParked({ items, nextCursor }: wire.ParkedEventPage, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["No event is parked."]
  const now = Date.now()
  const rows = table<wire.ParkedEvent>(
    [
      { title: "ID", of: ({ id }) => id },
      { title: "SINK", of: ({ sink }) => sink, cutTo: 8 },
      { title: "TYPE", of: ({ type }) => type, style: () => "bold", cutTo: 12 },
      { title: "KEY", of: ({ key }) => key, cutTo: 8, extra: true },
      { title: "PARKED", of: ({ parkedAt }) => relative(parkedAt, now), align: "right", extra: true },
      { title: "TRIES", of: ({ attempts }) => count(attempts), align: "right", extra: true },
      { title: "NEXT", of: (row) => nextOf(row, now), extra: true },
      { title: "REASON", of: ({ reason }) => reason, cutTo: 16 },
    ],
    items,
    canvas,
  )
  return nextCursor === undefined ? rows : [...rows, "… and more: raise --limit, or narrow it with --sink or --type"]
}

function nextOf({ isBehind, nextAt }: wire.ParkedEvent, now: number): string {
  if (isBehind) return "behind another"
  return nextAt === undefined ? "waits for you" : relative(nextAt, now)
}
