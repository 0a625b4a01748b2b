// `millrace instances`: look at one of them.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { drawInstance, type ShownInstance } from "../drawing/instance-picture.ts"
import { RemoteEngine } from "../remote-engine.ts"
import { type ShowOptions, show, withShow } from "../terminal/show.ts"
import type { Surroundings } from "../terminal/surroundings.ts"
import { examples } from "./group.ts"

export function addInstanceCommands(group: Command, around: Surroundings): void {
  withShow(
    group.command("show <id>").description("An instance: where it stands, why it does not move, its variables."),
  ).action((id: string, options: ShowOptions) => {
    const engine = new RemoteEngine(around.env)
    return show(around, options, { read: () => readInstance(engine, id), draw: drawInstance })
  })
  examples(group, "  millrace instances show 01JN8Z3V5E8Q2R7W4Y6T9A1B3C --watch")
}

const LIVE: ReadonlySet<wire.InstanceStatus> = new Set(["ACTIVE", "WAITING"])

async function readInstance(engine: RemoteEngine, instanceId: string): Promise<ShownInstance> {
  const instance = await engine.call("getInstance", { path: { instanceId } })
  if (!LIVE.has(instance.status)) return instance
  const { reasons } = await engine.call("getInstanceWaiting", { path: { instanceId } })
  return { ...instance, waiting: reasons }
}
