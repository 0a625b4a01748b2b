// `millrace weights`: how the lanes share the claims, another choice, and back to the configuration.
import type { Command } from "commander"
import { ApiClient } from "../api-client.ts"
import { bar } from "../drawing/progress-bar.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../drawing/show.ts"
import { type Canvas, table } from "../drawing/table.ts"
import type { Surroundings } from "../surroundings.ts"
import { examples, listCommand, wholeNumber } from "./group.ts"

export interface WeightsAnswer {
  readonly critical: number
  readonly high: number
  readonly normal: number
  readonly source: string
}

const PATH = "/queues/weights"
const BAR = 25

export function addWeightCommands(group: Command, around: Surroundings): void {
  const api = () => new ApiClient(around.env)
  withShow(listCommand(group, "The share of each lane, and where it was set.")).action((options: ShowOptions) => {
    const client = api()
    return show(around, options, { read: () => client.get<WeightsAnswer>(PATH), draw: drawWeights })
  })
  withJson(
    group.command("set").description("Three whole numbers that add up to 100. They hold from the next claim on."),
  )
    .argument("<critical>", "percent", wholeNumber)
    .argument("<high>", "percent", wholeNumber)
    .argument("<normal>", "percent", wholeNumber)
    .action(async (critical: number, high: number, normal: number, options: ShowOptions) => {
      say(around, options, await api().send<WeightsAnswer>("PATCH", PATH, { critical, high, normal }), drawWeights)
    })
  withJson(group.command("reset").description("Back to what the configuration says.")).action(
    async (options: ShowOptions) => {
      const client = api()
      await client.send("DELETE", PATH)
      say(around, options, await client.get<WeightsAnswer>(PATH), drawWeights)
    },
  )
  examples(
    group,
    `  millrace weights
  millrace weights set 60 30 10
  millrace weights set 100 0 0    in an incident: critical before everything
  millrace weights reset`,
  )
}

function drawWeights({ source, ...weights }: WeightsAnswer, canvas: Canvas): readonly string[] {
  const lanes = (["critical", "high", "normal"] as const).map((name) => ({ name, share: weights[name] }))
  const rows = table(
    [
      { title: "LANE", of: ({ name }) => name, style: () => "bold" },
      { title: "SHARE", of: ({ share }) => `${share} %`, align: "right" },
      { title: "", of: ({ share }) => bar(share / 100, BAR), style: () => "cyan" },
    ],
    lanes,
    canvas,
  )
  const from =
    source === "config"
      ? "From the configuration (WE_QUEUE_WEIGHTS)."
      : "Set at run time; `millrace weights reset` takes it back."
  return [...rows, "", canvas.paint("dim", from)]
}
