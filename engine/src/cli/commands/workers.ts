// `millrace workers`: who asks for work, and what each has in hand.
import type { Command } from "commander"
import { drawWorkers } from "../drawing/worker-picture.ts"
import { RemoteEngine } from "../remote-engine.ts"
import { type ShowOptions, show, withShow } from "../terminal/show.ts"
import type { Surroundings } from "../terminal/surroundings.ts"
import { examples, listCommand } from "./group.ts"

export function addWorkerCommands(group: Command, around: Surroundings): void {
  withShow(
    listCommand(group, "Workers of the last hour: which job types they ask for, what they have in hand."),
  ).action((options: ShowOptions) => {
    const engine = new RemoteEngine(around.env)
    return show(around, options, { read: () => engine.call("listWorkers"), draw: drawWorkers })
  })
  examples(
    group,
    `  millrace workers --watch
  millrace workers --json | jq '.items[].workerId'`,
  )
}
