// `millrace weights`: how the priorities share the claims, another choice, and back to the configuration.
import type { Command } from "commander"
import { drawWeights } from "../drawing/flow/weight-picture.ts"
import { wholeNumber } from "../options/numbers.ts"
import { RemoteEngine } from "../remote-engine.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../terminal/show.ts"
import type { Surroundings } from "../terminal/surroundings.ts"
import { examples, listCommand } from "./group.ts"

export function addWeightCommands(group: Command, around: Surroundings): void {
  const engine = () => new RemoteEngine(around.env)
  withShow(listCommand(group, "The share of each priority, and where it was set.")).action((options: ShowOptions) => {
    const remote = engine()
    return show(around, options, { read: () => remote.call("getWeights"), draw: drawWeights })
  })
  withJson(
    group.command("set").description("Three whole numbers that add up to 100. They hold from the next claim on."),
  )
    .argument("<critical>", "percent", wholeNumber)
    .argument("<high>", "percent", wholeNumber)
    .argument("<normal>", "percent", wholeNumber)
    .action(async (critical: number, high: number, normal: number, options: ShowOptions) => {
      say(around, options, await engine().call("setWeights", { body: { critical, high, normal } }), drawWeights)
    })
  withJson(group.command("reset").description("Back to what the configuration says.")).action(
    async (options: ShowOptions) => {
      const remote = engine()
      await remote.call("resetWeights")
      say(around, options, await remote.call("getWeights"), drawWeights)
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
