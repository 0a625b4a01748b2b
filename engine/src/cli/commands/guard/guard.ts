// `millrace guard`: how the guard stands, who calls most, what is blocked and why, and shadow mode.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { drawBlocks, drawCallers, drawGuard, drawReport, drawStatus } from "../../drawing/guard-picture.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { examples } from "../group.ts"
import { addBlockCommands, isClient } from "./change-blocks.ts"
import { addShadowCommands } from "./change-shadow.ts"

const EXAMPLES = `  millrace guard
  millrace guard top
  millrace guard why 192.0.2.7
  millrace guard why key:0f3a9c1d2e4b5a67
  millrace guard block 192.0.2.7 --reason "scrapes the catalogue" --for 7d
  millrace guard block --agent "BadBot/1.0"
  millrace guard unblock 192.0.2.7
  millrace guard shadow on
  millrace guard shadow off --rule regularity
  millrace guard report`

const PAGE = { query: { pageSize: 200 } } as const

export function addGuardCommands(group: Command, around: Surroundings): void {
  addReadCommands(group, around)
  addBlockCommands(group, around)
  addShadowCommands(group, around)
  examples(group, EXAMPLES)
}

function addReadCommands(group: Command, around: Surroundings): void {
  const engine = () => new RemoteEngine(around.env)
  withShow(
    group.command("status", { isDefault: true }).description("Limits, shadow mode, store, traffic, blocks."),
  ).action((options: ShowOptions) => {
    const remote = engine()
    const read = async () => ({ guard: await remote.call("getGuard"), blocks: await remote.call("listBlocks", PAGE) })
    return show(around, options, {
      read,
      draw: ({ guard, blocks }, canvas) => [...drawGuard(guard, canvas), "", ...drawBlocks(blocks.items, canvas)],
    })
  })
  withShow(
    group.command("top").description("The clients and addresses that call most, at the replica that answers."),
  ).action((options: ShowOptions) => {
    const remote = engine()
    return show(around, options, { read: () => remote.call("getGuard"), draw: drawCallers })
  })
  withJson(
    group
      .command("why <caller>")
      .description("Why an address, or a client such as key:…, is refused, with the numbers."),
  ).action(async (name: string, options: ShowOptions) => {
    say(around, options, await statusOf(engine(), name), drawStatus)
  })
  withJson(group.command("report").description("What shadow mode would have refused in the last 24 hours.")).action(
    async (options: ShowOptions) => {
      const remote = engine()
      const [stats, { items }] = [await remote.call("getShadowStats"), await remote.call("getShadowReport", PAGE)]
      say(around, options, { stats, items }, drawReport)
    },
  )
}

const statusOf = (engine: RemoteEngine, name: string): Promise<wire.ClientStatus | wire.BlockStatus> =>
  isClient(name)
    ? engine.call("getClientStatus", { path: { client: name } })
    : engine.call("getBlockStatus", { path: { ip: name } })
