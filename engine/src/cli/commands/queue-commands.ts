// `millrace queues`: how full the lanes are, which gates are shut, what is paused; and pausing a lane.
import type { Command } from "commander"
import { ApiClient } from "../api-client.ts"
import { cellText } from "../drawing/cell-text.ts"
import type { PauseAnswer } from "../drawing/pause-picture.ts"
import { drawQueues, type QueueMetrics, type QueuePicture } from "../drawing/queue-picture.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../drawing/show.ts"
import type { Surroundings } from "../surroundings.ts"
import { examples, listCommand, segment } from "./group.ts"
import type { WeightsAnswer } from "./weight-commands.ts"

export function addQueueCommands(group: Command, around: Surroundings): void {
  withShow(listCommand(group, "Depth, watermarks, gate and share of each lane; dead letters; pauses.")).action(
    (options: ShowOptions) => {
      const api = new ApiClient(around.env)
      return show(around, options, { read: () => readQueues(api), draw: drawQueues })
    },
  )
  for (const verb of ["pause", "resume"] as const) {
    const what = verb === "pause" ? "Hand out no job of a lane (what runs is finished)." : "Hand its jobs out again."
    withJson(group.command(`${verb} <name>`).description(what))
      .option("--reason <text>", "why: kept with who and when")
      .action((name: string, options: ShowOptions & { reason?: string }) => switchLane(around, verb, name, options))
  }
  examples(
    group,
    `  millrace queues                                     the lanes as they are now
  millrace queues --watch                             the same, every second
  millrace queues pause normal --reason "deploying"   hold the lane back
  millrace queues resume normal                       and let it go again
  millrace queues --json | jq .metrics.depths         for programs`,
  )
}

async function readQueues(api: ApiClient): Promise<QueuePicture> {
  const [metrics, weights, { items: pauses }] = await Promise.all([
    api.get<QueueMetrics>("/queues/metrics"),
    api.get<WeightsAnswer>("/queues/weights"),
    api.get<{ items: readonly PauseAnswer[] }>("/v1/pauses"),
  ])
  return { metrics, weights, pauses }
}

async function switchLane(
  around: Surroundings,
  verb: "pause" | "resume",
  name: string,
  { reason, ...options }: ShowOptions & { reason?: string },
): Promise<void> {
  const path = `/queues/${segment(name)}/${verb}`
  const answer = await new ApiClient(around.env).send<object>("POST", path, reason === undefined ? {} : { reason })
  say(around, options, answer, () => [
    verb === "pause"
      ? `Lane ${cellText(name)} is paused: no job of it is handed out until \`millrace queues resume ${cellText(name)}\`.`
      : `Lane ${cellText(name)} runs.`,
  ])
}
