// `millrace watermarks`: where each gate shuts and opens, another choice, and back to the configuration.
import type { Command } from "commander"
import { ApiClient } from "../api-client.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../drawing/show.ts"
import { type Canvas, table } from "../drawing/table.ts"
import { count } from "../drawing/times.ts"
import type { Surroundings } from "../surroundings.ts"
import { examples, listCommand, oneOf, wholeNumber } from "./group.ts"

type Watermarks = Readonly<Record<string, { readonly high: number; readonly low: number; readonly source: string }>>

const PATH = "/queues/watermarks"

export function addWatermarkCommands(group: Command, around: Surroundings): void {
  const api = () => new ApiClient(around.env)
  withShow(listCommand(group, "The watermarks of each lane and of the total, and where they were set.")).action(
    (options: ShowOptions) => {
      const client = api()
      return show(around, options, { read: () => client.get<Watermarks>(PATH), draw: drawWatermarks })
    },
  )
  withJson(group.command("set").description("New jobs are refused at <high>, and taken again below <low>."))
    .argument("<lane>", "critical, high, normal or total", oneOf("critical", "high", "normal", "total"))
    .argument("<high>", "jobs", wholeNumber)
    .argument("<low>", "jobs", wholeNumber)
    .action(async (lane: string, high: number, low: number, options: ShowOptions) => {
      say(around, options, await api().send<Watermarks>("PUT", PATH, { [lane]: { high, low } }), drawWatermarks)
    })
  withJson(group.command("reset").description("Back to what the configuration says.")).action(
    async (options: ShowOptions) => {
      const client = api()
      await client.send("DELETE", PATH)
      say(around, options, await client.get<Watermarks>(PATH), drawWatermarks)
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

const drawWatermarks = (marks: Watermarks, canvas: Canvas): readonly string[] =>
  table(
    [
      { title: "LANE", of: ([name]) => name, style: () => "bold" },
      { title: "HIGH", of: ([, { high }]) => count(high), align: "right" },
      { title: "LOW", of: ([, { low }]) => count(low), align: "right" },
      { title: "SET BY", of: ([, { source }]) => (source === "database" ? "run time" : "configuration") },
    ],
    Object.entries(marks),
    canvas,
  )
