// `millrace schedules create`: a schedule from options.
import type { wire } from "@millrace/sdk"
import { type Command, Option } from "commander"
import { CommandError, calledWrongly } from "../../command-error.ts"
import { shellWord } from "../../drawing/cell-text.ts"
import { drawSchedule } from "../../drawing/schedule-picture.ts"
import { strangeDefinition, strangeJobType } from "../../known-names.ts"
import { oneOf, priority } from "../../options/choices.ts"
import { JSON_HINT, jsonArgument } from "../../options/json-argument.ts"
import { given } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"

interface CreateOptions extends ShowOptions {
  readonly cron: string
  readonly timezone?: string
  readonly definition?: string
  readonly workflow?: string
  readonly jobType?: string
  readonly input?: string
  readonly priority?: wire.Priority
  readonly overlap?: wire.Overlap
  readonly catchUp?: wire.CatchUp
  readonly disabled?: boolean
  readonly replace?: boolean
}

export function addScheduleCreate(group: Command, around: Surroundings): void {
  withJson(group.command("create <id>").description("Make a schedule for a definition or a job type."))
    .requiredOption("--cron <expression>", 'five or six fields, such as "*/5 * * * *", or @daily')
    .option("--timezone <name>", "an IANA name, such as Europe/Berlin (default: UTC)")
    .option("--definition <id>", "start an instance of this definition; a workflow of code is one, too")
    .addOption(new Option("--workflow <id>").hideHelp())
    .option("--job-type <type>", "enqueue a job of this type")
    .option("--input <json>", `variables of the instance, or payload of the job: ${JSON_HINT}`)
    .option("--priority <priority>", "critical, high or normal (default: the definition's or normal)", priority)
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
      const body = { ...bodyOf(options), ...(await inputOf(around, options)) }
      const engine = new RemoteEngine(around.env)
      const schedule = options.replace
        ? await engine.call("putSchedule", { path: { scheduleId: id }, body })
        : await engine.call("createSchedule", { body: { id, ...body } }).catch(sayReplace)
      const strange = options.json ? [] : await strangeWork(engine, body)
      say(around, options, schedule, (one, canvas) => [...drawSchedule(one, canvas), ...strange])
    })
}

/** What it starts need not be there yet. */
const strangeWork = (engine: RemoteEngine, { definitionId, jobType }: wire.ScheduleRequest) =>
  definitionId === undefined ? strangeJobType(engine, jobType ?? "") : strangeDefinition(engine, definitionId)

function sayReplace(error: unknown): never {
  if (!(error instanceof CommandError && error.refusal === "conflict")) throw error
  // What the engine says of PUT is for those who call it over HTTP.
  throw new CommandError(`${error.message.replace(/; PUT .*/s, "")}: \`--replace\` puts this one in its place`)
}

function bodyOf(options: CreateOptions): wire.ScheduleRequest {
  const { cron, definition, jobType, disabled, workflow } = options
  if (workflow !== undefined)
    throw calledWrongly(`say --definition ${shellWord(workflow)}: a workflow of code is a definition, too`)
  if ((definition === undefined) === (jobType === undefined))
    throw calledWrongly("say what it starts: either --definition or --job-type")
  const { timezone, priority, overlap, catchUp } = options
  return {
    cron,
    ...given({ timezone, priority, overlap, catchUp, jobType, definitionId: definition }),
    ...(disabled ? { enabled: false } : {}),
  }
}

const inputOf = async (around: Surroundings, { input }: CreateOptions): Promise<Pick<wire.ScheduleRequest, "input">> =>
  input === undefined ? {} : { input: await jsonArgument(around, input, "--input") }
