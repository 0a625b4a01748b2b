// Which user task is meant: by its id, or by the instance that waits for it.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { CommandError, calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { moment } from "../../drawing/times.ts"
import type { RemoteEngine } from "../../remote-engine.ts"
import { findInstance, type WhichOptions, withWhich } from "../instances/find-instance.ts"
import { listOpenTasks } from "./find-listed-task.ts"

export interface TaskOptions extends WhichOptions {
  readonly step?: string
}

export const withTask = (command: Command): Command =>
  withWhich(command).option("--step <id>", "of an instance that waits for several tasks, the one of this step")

const TASK_ID = /^[0-9A-Z]{26}-\d+$/

/** The word is the id of a task, or else the id or a key of an instance with one open task: a task has the id of its step's execution. */
export async function findTask(engine: RemoteEngine, word: string, options: TaskOptions): Promise<wire.UserTask> {
  const isTask = options.definition === undefined && TASK_ID.test(word)
  const userTaskId = isTask ? word : await openTask(engine, word, options)
  return engine.call("getUserTask", { path: { userTaskId } })
}

async function openTask(engine: RemoteEngine, word: string, options: TaskOptions): Promise<string> {
  try {
    return await taskOfInstance(engine, word, options)
  } catch (error) {
    if (!(error instanceof CommandError) || error.refusal !== "forbidden") throw error
    const open = await listOpenTasks(engine, word, options.definition)
    return onlyTask(meantOf(open, options)) ?? noTask(word, options)
  }
}

async function taskOfInstance(engine: RemoteEngine, word: string, options: TaskOptions): Promise<string> {
  const instanceId = await findInstance(engine, word, options)
  const { items } = await engine.call("getInstanceHistory", { path: { instanceId } })
  const open = items.filter(({ stepType, status }) => stepType === "USER_TASK" && status === "RUNNING")
  return onlyTask(meantOf(open, options)) ?? noTask(word, options, await lastEnded(engine, items, options))
}

type Open = Pick<wire.UserTask, "id" | "stepId">

const meantOf = (open: readonly Open[], { step }: TaskOptions): readonly Open[] =>
  open.filter(({ stepId }) => (step ?? stepId) === stepId)

function onlyTask(meant: readonly Open[]): string | undefined {
  if (meant.length > 1)
    throw calledWrongly(
      `it waits for several tasks, name one with --step: ${meant.map(({ stepId }) => cellText(stepId)).join(", ")}`,
    )
  return meant[0]?.id
}

function noTask(word: string, { step }: TaskOptions, why = ""): never {
  throw new CommandError(`there is no open task ${cellText(step ?? word)}${why}`)
}

/** Says who completed the task that was meant, for a caller who comes second. */
async function lastEnded(
  engine: RemoteEngine,
  items: readonly wire.StepExecution[],
  { step }: TaskOptions,
): Promise<string> {
  const last = items.findLast(({ stepType, stepId }) => stepType === "USER_TASK" && stepId === (step ?? stepId))
  const task = last && (await engine.callIfFound("getUserTask", { path: { userTaskId: last.id } }))
  if (task?.completedAt === undefined) return ""
  const by = task.completedBy === undefined ? "" : ` by ${cellText(task.completedBy)}`
  return `: ${cellText(task.name)} was ${task.status.toLowerCase()}${by} at ${moment(task.completedAt)}`
}
