// `millrace schedules enable` and `disable`: whether the clock starts it.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { drawSchedule } from "../../drawing/schedule-picture.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"

export function addScheduleSwitches(group: Command, around: Surroundings): void {
  for (const [verb, enabled, words] of [
    ["enable", true, "Let it run by the clock again."],
    ["disable", false, "Keep it, and start nothing by the clock."],
  ] as const) {
    withJson(group.command(`${verb} <id>`).description(words)).action(async (id: string, options: ShowOptions) =>
      say(around, options, await turn(around, id, enabled), drawSchedule),
    )
  }
}

const turn = ({ env }: Surroundings, scheduleId: string, enabled: boolean): Promise<wire.Schedule> =>
  new RemoteEngine(env).call("changeSchedule", { path: { scheduleId }, body: { enabled } })
