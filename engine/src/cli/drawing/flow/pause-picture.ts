// What is paused, as a table.
import type { wire } from "@millrace/sdk"
import { type Canvas, table } from "../table.ts"
import { relative } from "../times.ts"

export function drawPauses(pauses: readonly wire.Pause[], canvas: Canvas, nowMs = Date.now()): readonly string[] {
  if (pauses.length === 0) return ["Nothing is paused."]
  return table<wire.Pause>(
    [
      { title: "PAUSED", of: ({ kind }) => kind, style: () => "yellow" },
      { title: "NAME", of: ({ name }) => name, cutTo: 16 },
      { title: "SINCE", of: ({ pausedAt }) => relative(pausedAt, nowMs), align: "right" },
      { title: "BY", of: ({ pausedBy }) => pausedBy, cutTo: 8, extra: true },
      { title: "REASON", of: ({ reason }) => reason, cutTo: 12 },
    ],
    pauses,
    canvas,
  )
}
