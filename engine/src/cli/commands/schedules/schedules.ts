// `millrace schedules`: what runs when, making and switching schedules, a run by hand, and what they did.
import type { Command } from "commander"
import { cellText } from "../../drawing/cell-text.ts"
import { drawRuns, drawSchedule, drawSchedules } from "../../drawing/schedule-picture.ts"
import { type LimitOption, readUpTo, withLimit } from "../../options/paging.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { confirm } from "../../terminal/ask.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { examples, listCommand } from "../group.ts"
import { addScheduleCreate } from "./create-schedule.ts"
import { addScheduleSwitches } from "./switch-schedule.ts"

const LIMIT = 100

type ListOptions = ShowOptions & LimitOption

export function addScheduleCommands(group: Command, around: Surroundings): void {
  addReading(group, around)
  addScheduleCreate(group, around)
  addScheduleSwitches(group, around)
  addRunning(group, around)
  examples(
    group,
    `  millrace schedules
  millrace schedules show nightly
  millrace schedules create nightly --cron "0 3 * * *" --job-type report \\
    --timezone Europe/Berlin --input '{"kind":"all"}'
  millrace schedules run nightly               now, besides its times
  millrace schedules disable nightly
  millrace schedules enable nightly
  millrace schedules history nightly --watch
  millrace schedules delete nightly`,
  )
}

function addReading(group: Command, around: Surroundings): void {
  const list = listCommand(group, "Every schedule: what it starts, when it did last, when it does next.")
  withLimit(withShow(list), LIMIT).action(({ limit, ...options }: ListOptions) => {
    const engine = new RemoteEngine(around.env)
    const read = () => readUpTo(limit, (query) => engine.call("listSchedules", { query }))
    return show(around, options, { read, draw: drawSchedules })
  })
  withShow(group.command("show <id>").description("One schedule with its next times.")).action(
    (id: string, options: ShowOptions) => {
      const engine = new RemoteEngine(around.env)
      const read = () => engine.call("getSchedule", { path: { scheduleId: id } })
      return show(around, options, { read, draw: drawSchedule })
    },
  )
  const history = group.command("history <id>").description("What became of its times, newest first.")
  withLimit(withShow(history)).action((id: string, { limit, ...options }: ListOptions) => {
    const engine = new RemoteEngine(around.env)
    const path = { scheduleId: id }
    const read = () => readUpTo(limit, (query) => engine.call("listScheduleRuns", { path, query }))
    return show(around, options, { read, draw: drawRuns })
  })
}

function addRunning(group: Command, around: Surroundings): void {
  withJson(group.command("run <id>").description("Start it now, once.")).action(
    async (id: string, options: ShowOptions) => {
      const run = await new RemoteEngine(around.env).call("runSchedule", { path: { scheduleId: id } })
      say(around, options, run, ({ outcome, workId, detail }) => [
        `${cellText(id)}: ${cellText(outcome)}${workId ? ` ${cellText(workId)}` : ""}${detail ? ` (${cellText(detail)})` : ""}`,
      ])
    },
  )
  withJson(group.command("delete <id>").description("Remove it. What it has started goes on."))
    .option("-y, --yes", "without asking")
    .action(async (id: string, { yes, ...options }: ShowOptions & { yes?: boolean }) => {
      if (!(await confirm(around, `Delete schedule ${cellText(id)}?`, yes))) return around.print("Nothing was changed.")
      await new RemoteEngine(around.env).call("deleteSchedule", { path: { scheduleId: id } })
      say(around, options, { id, deleted: true }, () => [`Schedule ${cellText(id)} is gone.`])
    })
}
