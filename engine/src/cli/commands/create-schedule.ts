// `millrace schedules create`: a schedule from options.
import type { Command } from "commander"
import { ApiClient } from "../api-client.ts"
import { CommandError, calledWrongly } from "../command-error.ts"
import { drawSchedule, type ScheduleAnswer } from "../drawing/schedule-picture.ts"
import { type ShowOptions, say, withJson } from "../drawing/show.ts"
import type { Surroundings } from "../surroundings.ts"
import { oneOf, segment } from "./group.ts"
import { objectOf } from "./job-commands.ts"

/** As the engine takes it; its id is in the path or beside it. */
export type NewSchedule = { readonly [Field in keyof ScheduleAnswer]?: ScheduleAnswer[Field] | undefined }

interface CreateOptions extends ShowOptions {
  readonly cron: string
  readonly timezone?: string
  readonly definition?: string
  readonly jobType?: string
  readonly input?: string
  readonly priority?: string
  readonly overlap?: string
  readonly catchUp?: string
  readonly disabled?: boolean
  readonly replace?: boolean
}

export function addScheduleCreate(group: Command, around: Surroundings): void {
  withJson(group.command("create <id>").description("Make a schedule for a definition or a job type."))
    .requiredOption("--cron <expression>", 'five or six fields, such as "*/5 * * * *", or @daily')
    .option("--timezone <name>", "an IANA name, such as Europe/Berlin (default: UTC)")
    .option("--definition <id>", "start an instance of this definition")
    .option("--job-type <type>", "enqueue a job of this type")
    .option("--input <json>", "variables of the instance, or payload of the job")
    .option(
      "--priority <lane>",
      "critical, high or normal (default: the definition's or normal)",
      oneOf("critical", "high", "normal"),
    )
    .option(
      "--overlap <rule>",
      "when the last run is not over: skip, queue or cancel (default: skip)",
      oneOf("skip", "queue", "cancel"),
    )
    .option(
      "--catch-up <rule>",
      "times that were missed: none, last or all (default: last)",
      oneOf("none", "last", "all"),
    )
    .option("--disabled", "make it, but do not start it")
    .option("--replace", "in place of the schedule that has this id")
    .action(async (id: string, options: CreateOptions) => {
      const spec = specOf(options)
      const api = new ApiClient(around.env)
      const schedule = options.replace
        ? await api.send<ScheduleAnswer>("PUT", `/v1/schedules/${segment(id)}`, spec)
        : await api.send<ScheduleAnswer>("POST", "/v1/schedules", { id, ...spec }).catch(sayReplace)
      say(around, options, schedule, drawSchedule)
    })
}

function sayReplace(error: unknown): never {
  if (!(error instanceof CommandError && error.refusal === "conflict")) throw error
  throw new CommandError(`${error.message}: \`--replace\` puts this one in its place`)
}

function specOf({
  cron,
  timezone,
  definition,
  jobType,
  input,
  priority,
  overlap,
  catchUp,
  disabled,
}: CreateOptions): NewSchedule {
  if ((definition === undefined) === (jobType === undefined))
    throw calledWrongly("say what it starts: either --definition or --job-type")
  return {
    cron,
    timezone,
    definitionId: definition,
    jobType,
    input: input === undefined ? undefined : objectOf(input, "--input"),
    priority,
    overlap,
    catchUp,
    enabled: disabled ? false : undefined,
  }
}
