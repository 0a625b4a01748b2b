// `millrace watermarks`: where each gate shuts and opens, another choice, and back to the configuration.
import type { Command } from "commander"
import { drawWatermarks } from "../drawing/flow/watermark-picture.ts"
import { oneOf } from "../options/choices.ts"
import { wholeNumber } from "../options/numbers.ts"
import { RemoteEngine } from "../remote-engine.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../terminal/show.ts"
import type { Surroundings } from "../terminal/surroundings.ts"
import { examples, listCommand } from "./group.ts"

export function addWatermarkCommands(group: Command, around: Surroundings): void {
  const engine = () => new RemoteEngine(around.env)
  withShow(listCommand(group, "The watermarks of each priority and of the total, and where they were set.")).action(
    (options: ShowOptions) => {
      const remote = engine()
      return show(around, options, { read: () => remote.call("getWatermarks"), draw: drawWatermarks })
    },
  )
  withJson(group.command("set").description("New jobs are refused at <high>, and taken again below <low>."))
    .argument("<priority>", "critical, high, normal or total", oneOf("critical", "high", "normal", "total"))
    .argument("<high>", "jobs", wholeNumber)
    .argument("<low>", "jobs", wholeNumber)
    .action(async (gate: string, high: number, low: number, options: ShowOptions) => {
      const body = { [gate]: { high, low } }
      say(around, options, await engine().call("setWatermarks", { body }), drawWatermarks)
    })
  withJson(group.command("reset").description("Back to what the configuration says.")).action(
    async (options: ShowOptions) => {
      const remote = engine()
      await remote.call("resetWatermarks")
      say(around, options, await remote.call("getWatermarks"), drawWatermarks)
    },
  )
  examples(
    group,
    `  millrace watermarks
  millrace watermarks set normal 10000 2000
  millrace watermarks set total 30000 6000
  millrace watermarks reset`,
  )
}
