// `millrace schedules`: what runs when, making and switching schedules, a run by hand, and what they did.
import type { Command } from "commander"
import { ApiClient } from "../api-client.ts"
import { confirm } from "../ask.ts"
import { cellText } from "../drawing/cell-text.ts"
import {
  drawRuns,
  drawSchedule,
  drawSchedules,
  type RunAnswer,
  type ScheduleAnswer,
} from "../drawing/schedule-picture.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../drawing/show.ts"
import type { Surroundings } from "../surroundings.ts"
import { addScheduleCreate, type NewSchedule } from "./create-schedule.ts"
import { examples, listCommand, segment, wholeNumber } from "./group.ts"

export const SCHEDULES = "/v1/schedules"
const pathOf = (id: string): string => `${SCHEDULES}/${segment(id)}`
const LIMIT = 100

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

export function addScheduleCommands(group: Command, around: Surroundings): void {
  addReading(group, around)
  addScheduleCreate(group, around)
  addChanging(group, around)
  examples(
    group,
    `  millrace schedules
  millrace schedules show nightly
  millrace schedules create nightly --cron "0 3 * * *" --job-type report \\
    --timezone Europe/Berlin --input '{"kind":"all"}'
  millrace schedules run nightly               now, whatever the time is
  millrace schedules disable nightly
  millrace schedules enable nightly
  millrace schedules history nightly --watch
  millrace schedules delete nightly`,
  )
}

function addReading(group: Command, around: Surroundings): void {
  withShow(listCommand(group, "Every schedule: what it starts, when it did last, when it does next."))
    .option("--limit <n>", "at most so many", wholeNumber, LIMIT)
    .action(({ limit, ...options }: ShowOptions & { limit: number }) => {
      const api = new ApiClient(around.env)
      const read = () => api.get<Page<ScheduleAnswer>>(SCHEDULES, { pageSize: limit })
      return show(around, options, { read, draw: drawSchedules })
    })
  withShow(group.command("show <id>").description("One schedule with its next times.")).action(
    (id: string, options: ShowOptions) => {
      const api = new ApiClient(around.env)
      return show(around, options, { read: () => api.get<ScheduleAnswer>(pathOf(id)), draw: drawSchedule })
    },
  )
  withShow(group.command("history <id>").description("What became of its times, newest first."))
    .option("--limit <n>", "at most so many", wholeNumber, 20)
    .action((id: string, { limit, ...options }: ShowOptions & { limit: number }) => {
      const api = new ApiClient(around.env)
      const read = () => api.get<Page<RunAnswer>>(`${pathOf(id)}/runs`, { pageSize: limit })
      return show(around, options, { read, draw: drawRuns })
    })
}

function addChanging(group: Command, around: Surroundings): void {
  for (const [verb, enabled, words] of [
    ["enable", true, "Let it run by the clock again."],
    ["disable", false, "Keep it, and start nothing by the clock."],
  ] as const) {
    withJson(group.command(`${verb} <id>`).description(words)).action(async (id: string, options: ShowOptions) =>
      say(around, options, await turn(new ApiClient(around.env), id, enabled), drawSchedule),
    )
  }
  withJson(group.command("run <id>").description("Start it now, once.")).action(
    async (id: string, options: ShowOptions) => {
      const run = await new ApiClient(around.env).send<RunAnswer>("POST", `${pathOf(id)}/run`)
      say(around, options, run, ({ outcome, workId, detail }) => [
        `${cellText(id)}: ${cellText(outcome)}${workId ? ` ${cellText(workId)}` : ""}${detail ? ` (${cellText(detail)})` : ""}`,
      ])
    },
  )
  withJson(group.command("delete <id>").description("Remove it. What it has started goes on."))
    .option("-y, --yes", "without asking")
    .action(async (id: string, { yes, ...options }: ShowOptions & { yes?: boolean }) => {
      if (!(await confirm(around, `Delete schedule ${cellText(id)}?`, yes))) return around.print("Nothing was changed.")
      await new ApiClient(around.env).send("DELETE", pathOf(id))
      say(around, options, { id, deleted: true }, () => [`Schedule ${cellText(id)} is gone.`])
    })
}

/** There is no call that only switches it: it is written again as it was. */
async function turn(api: ApiClient, id: string, enabled: boolean): Promise<ScheduleAnswer> {
  const { cron, timezone, definitionId, jobType, input, priority, overlap, catchUp } = await api.get<ScheduleAnswer>(
    pathOf(id),
  )
  const spec: NewSchedule = { cron, timezone, definitionId, jobType, input, priority, overlap, catchUp, enabled }
  return api.send<ScheduleAnswer>("PUT", pathOf(id), spec)
}
