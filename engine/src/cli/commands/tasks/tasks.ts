// `millrace tasks`: what waits for a person; claiming it, giving it back, delegating it, its due date, and completing it.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { CommandError } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { drawTask, drawTasks } from "../../drawing/task-picture.ts"
import { statusOf } from "../../options/choices.ts"
import { JSON_HINT, jsonArgument } from "../../options/json-argument.ts"
import { type LimitOption, readUpTo, withLimit } from "../../options/paging.ts"
import { given } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { examples, listCommand } from "../group.ts"
import { findTask, type TaskOptions, withTask } from "./find-task.ts"

type Options = ShowOptions & TaskOptions

export function addTaskCommands(group: Command, around: Surroundings): void {
  addReading(group, around)
  addClaim(group, around)
  addUnclaim(group, around)
  addDelegate(group, around)
  addDue(group, around)
  addComplete(group, around)
  examples(
    group,
    `  millrace tasks --group credit                    open tasks of a group
  millrace tasks --as maria                        what maria has claimed
  millrace tasks show 01JN8Z3V5E8Q2R7W4Y6T9A1B3C-0002
  millrace tasks claim loan-17 --as maria          by the key of its instance
  millrace tasks unclaim loan-17 --as maria        its group may claim it then
  millrace tasks delegate loan-17 --to bo --as maria
  millrace tasks due loan-17 --at 2026-12-01T17:00:00Z
  millrace tasks complete loan-17 --as maria --variables '{"approved":true}'`,
  )
}

interface ListOptions extends ShowOptions, LimitOption {
  readonly status: wire.UserTaskStatus
  readonly as?: string
  readonly group?: string
}

const status = statusOf("OPEN", "COMPLETED", "CANCELLED")

function addReading(group: Command, around: Surroundings): void {
  withLimit(withShow(listCommand(group, "User tasks, oldest first.")))
    .option("--status <status>", `${status.choices.join(", ")} (default: open)`, status)
    .option("--as <person>", "of this person")
    .option("--group <name>", "of this group")
    .action(({ status = "OPEN", as: assignee, group, limit, ...options }: ListOptions) => {
      const engine = new RemoteEngine(around.env)
      const filter = { status, ...given({ assignee, group }) }
      const read = () => readUpTo(limit, (page) => engine.call("listUserTasks", { query: { ...filter, ...page } }))
      return show(around, options, { read, draw: drawTasks })
    })
  withTask(
    withShow(group.command("show <task|instance|key>").description("A task: for whom, until when, its variables.")),
  ).action((word: string, options: Options) => {
    const engine = new RemoteEngine(around.env)
    return show(around, options, { read: () => findTask(engine, word, options), draw: drawTask })
  })
}

function addClaim(group: Command, around: Surroundings): void {
  withTask(withJson(group.command("claim <task|instance|key>").description("Make it the task of one person.")))
    .requiredOption("--as <person>", "whose task it is to be")
    .action(async (word: string, { as: assignee, ...options }: Options & { readonly as: string }) => {
      const engine = new RemoteEngine(around.env)
      const { id } = await findTask(engine, word, options)
      const task = await engine.call("claimUserTask", { path: { userTaskId: id }, body: { assignee } })
      say(around, options, task, () => [`${cellText(task.name)} (${id}) is the task of ${cellText(assignee)}.`])
    })
}

interface AssignOptions extends Options {
  readonly as?: string
}

function addUnclaim(group: Command, around: Surroundings): void {
  withTask(withJson(group.command("unclaim <task|instance|key>").description("Give it back: it has no assignee then.")))
    .option("--as <person>", "only if this person has it (default: any)")
    .action(async (word: string, { as: assignee, ...options }: AssignOptions) => {
      const engine = new RemoteEngine(around.env)
      const { id } = await findTask(engine, word, options)
      const task = await engine.call("unclaimUserTask", { path: { userTaskId: id }, body: given({ assignee }) })
      say(around, options, task, () => [`${cellText(task.name)} (${id}) has no assignee.`])
    })
}

function addDelegate(group: Command, around: Surroundings): void {
  withTask(withJson(group.command("delegate <task|instance|key>").description("Make it the task of another person.")))
    .requiredOption("--to <person>", "whose task it is to be")
    .option("--as <person>", "only if this person has it (default: any)")
    .action(async (word: string, { to: assignee, as: from, ...options }: AssignOptions & { readonly to: string }) => {
      const engine = new RemoteEngine(around.env)
      const { id } = await findTask(engine, word, options)
      const body = { assignee, ...given({ from }) }
      const task = await engine.call("delegateUserTask", { path: { userTaskId: id }, body })
      say(around, options, task, () => [`${cellText(task.name)} (${id}) is the task of ${cellText(assignee)}.`])
    })
}

interface DueOptions extends Options {
  readonly at?: string
  readonly none?: true
}

function addDue(group: Command, around: Surroundings): void {
  withTask(withJson(group.command("due <task|instance|key>").description("Change when it is due.")))
    .option("--at <time>", "such as 2026-12-01T17:00:00Z")
    .option("--none", "at no time")
    .action(async (word: string, { at: dueAt, none, ...options }: DueOptions) => {
      if ((dueAt === undefined) !== (none === true)) throw new CommandError("say either --at <time> or --none", 2)
      const engine = new RemoteEngine(around.env)
      const { id } = await findTask(engine, word, options)
      const task = await engine.call("setUserTaskDue", { path: { userTaskId: id }, body: given({ dueAt }) })
      const due = task.dueAt === undefined ? "has no due date" : `is due at ${task.dueAt}`
      say(around, options, task, () => [`${cellText(task.name)} (${id}) ${due}.`])
    })
}

interface CompleteOptions extends Options {
  readonly as?: string
  readonly variables?: string
}

function addComplete(group: Command, around: Surroundings): void {
  withTask(withJson(group.command("complete <task|instance|key>").description("Complete it; its instance goes on.")))
    .option("--as <person>", "who completed it")
    .option("--variables <json>", `what came of it: ${JSON_HINT}`)
    .action(async (word: string, { as: completedBy, variables: json, ...options }: CompleteOptions) => {
      const variables = await jsonArgument(around, json, "--variables")
      const engine = new RemoteEngine(around.env)
      const { id, name, instanceId, stepId } = await findTask(engine, word, options)
      const body = { variables, ...given({ completedBy }) }
      await engine.call("completeUserTask", { path: { instanceId, stepId }, body })
      say(around, options, { id, instanceId, stepId, status: "COMPLETED" }, () => [
        `${cellText(name)} (${id}) is completed; \`millrace instances watch ${instanceId}\` follows what comes next.`,
      ])
    })
}
