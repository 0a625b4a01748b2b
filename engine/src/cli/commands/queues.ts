// `millrace queues`: how many jobs wait at each priority, which gates are shut, what is paused; and pausing a priority.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { drawQueues, type QueuePicture } from "../drawing/flow/queue-picture.ts"
import { priority } from "../options/choices.ts"
import { given } from "../options/values.ts"
import { RemoteEngine } from "../remote-engine.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../terminal/show.ts"
import type { Surroundings } from "../terminal/surroundings.ts"
import { examples, listCommand } from "./group.ts"
import { isPaused } from "./pauses.ts"

type PauseOptions = ShowOptions & { readonly reason?: string }

export function addQueueCommands(group: Command, around: Surroundings): void {
  withShow(listCommand(group, "Depth, watermarks, gate and share of each priority; dead letters; pauses.")).action(
    (options: ShowOptions) => {
      const engine = new RemoteEngine(around.env)
      return show(around, options, { read: () => readQueues(engine), draw: drawQueues })
    },
  )
  withJson(group.command("pause").description("Hand out no job of a priority; what runs is finished."))
    .argument("<priority>", "critical, high or normal", priority)
    .option("--reason <text>", "why: kept with who and when")
    .action((name: wire.Priority, options: PauseOptions) => pauseQueue(around, name, options))
  withJson(group.command("resume").description("Hand its jobs out again."))
    .argument("<priority>", "critical, high or normal", priority)
    .option("--reason <text>", "why: kept with who and when")
    .action((name: wire.Priority, options: PauseOptions) => resumeQueue(around, name, options))
  examples(
    group,
    `  millrace queues                                     as it is now
  millrace queues --watch                             the same, every second
  millrace queues pause normal --reason "deploying"   hold its jobs back
  millrace queues resume normal                       and hand them out again
  millrace queues --json | jq .metrics.depths         for programs`,
  )
}

async function readQueues(engine: RemoteEngine): Promise<QueuePicture> {
  const [metrics, weights, { items: pauses }] = await Promise.all([
    engine.call("getQueueMetrics"),
    engine.call("getWeights"),
    engine.call("listPauses"),
  ])
  return { metrics, weights, pauses }
}

async function pauseQueue(around: Surroundings, name: wire.Priority, { reason, ...options }: PauseOptions) {
  const answer = await new RemoteEngine(around.env).call("pauseQueue", { path: { name }, body: given({ reason }) })
  say(around, options, answer, () => [
    `Priority ${name} is paused: none of its jobs is handed out until \`millrace queues resume ${name}\`.`,
  ])
}

async function resumeQueue(around: Surroundings, name: wire.Priority, { reason, ...options }: PauseOptions) {
  const engine = new RemoteEngine(around.env)
  const wasPaused = await isPaused(engine, "queue", name)
  const answer = await engine.call("resumeQueue", { path: { name }, body: given({ reason }) })
  say(around, options, answer, () => [`Priority ${name} ${wasPaused === false ? "was not paused" : "goes on"}.`])
}
