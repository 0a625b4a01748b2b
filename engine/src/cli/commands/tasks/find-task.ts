// Which user task is meant: by its id, or by the instance that waits for it.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { CommandError, calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { moment } from "../../drawing/times.ts"
import type { RemoteEngine } from "../../remote-engine.ts"
import { findInstance, type WhichOptions, withWhich } from "../instances/find-instance.ts"

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
  const instanceId = await findInstance(engine, word, options)
  const { items } = await engine.call("getInstanceHistory", { path: { instanceId } })
  const open = items.filter(({ stepType, status }) => stepType === "USER_TASK" && status === "RUNNING")
  const meant = open.filter(({ stepId }) => (options.step ?? stepId) === stepId)
  if (meant.length === 0)
    throw new CommandError(
      `there is no open task ${cellText(options.step ?? word)}${await lastEnded(engine, items, options)}`,
    )
  if (meant.length > 1)
    throw calledWrongly(`it waits for several tasks, name one with --step: ${meant.map(stepOf).join(", ")}`)
  return (meant[0] as wire.StepExecution).id
}

const stepOf = ({ stepId }: wire.StepExecution): string => cellText(stepId)

/** Of the task that was meant, who completed it: what to say to one who comes second. */
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
