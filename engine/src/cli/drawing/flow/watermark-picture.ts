// Where each gate shuts and opens, as a table.
import type { wire } from "@millrace/sdk"
import { type Canvas, table } from "../table.ts"
import { count } from "../times.ts"

export const drawWatermarks = (marks: wire.WatermarksInForce, canvas: Canvas): readonly string[] =>
  table(
    [
      { title: "PRIORITY", of: ({ name }) => name, style: () => "bold" },
      { title: "SHUTS AT", of: ({ high }) => count(high), align: "right" },
      { title: "OPENS AT", of: ({ low }) => count(low), align: "right" },
      { title: "SET BY", of: ({ source }) => (source === "database" ? "run time" : "configuration") },
    ],
    Object.entries<wire.WatermarkInForce>({ ...marks }).map(([name, mark]) => ({ name, ...mark })),
    canvas,
  )
