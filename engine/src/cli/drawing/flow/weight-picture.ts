// The shares of the priorities as a table with bars.
import type { wire } from "@millrace/sdk"
import { PRIORITIES } from "../../../model/definitions/definition.ts"
import { bar } from "../progress-bar.ts"
import { type Canvas, table } from "../table.ts"

const BAR = 25

export function drawWeights(weights: wire.WeightsInForce, canvas: Canvas): readonly string[] {
  const rows = table(
    [
      { title: "PRIORITY", of: ({ name }) => name, style: () => "bold" },
      { title: "SHARE", of: ({ share }) => `${share} %`, align: "right" },
      { title: "", of: ({ share }) => bar(share / 100, BAR), style: () => "cyan" },
    ],
    PRIORITIES.map((name) => ({ name, share: weights[name] })),
    canvas,
  )
  const from =
    weights.source === "config"
      ? "From the configuration (WE_QUEUE_WEIGHTS)."
      : "Set at run time; `millrace weights reset` takes it back."
  return [...rows, "", canvas.paint("dim", from)]
}
