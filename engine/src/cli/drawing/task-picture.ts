// User tasks as a table, and one of them fact by fact.
import type { wire } from "@millrace/sdk"
import { statusStyle } from "./status-styles.ts"
import { type Canvas, facts, table } from "./table.ts"
import { moment, relative } from "./times.ts"

export function drawTasks({ items, nextCursor }: wire.UserTaskPage, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["There are no such tasks."]
  const now = Date.now()
  const rows = table<wire.UserTask>(
    [
      { title: "TASK", of: ({ id }) => id },
      { title: "NAME", of: ({ name }) => name, style: () => "bold", cutTo: 12 },
      { title: "FOR", of: personOf, cutTo: 8 },
      { title: "DUE", of: ({ dueAt }) => relative(dueAt, now), align: "right", style: dueStyle, ifAny: true },
      { title: "SINCE", of: ({ createdAt }) => relative(createdAt, now), align: "right" },
      { title: "ABOUT", of: ({ businessKey, key }) => businessKey ?? key, cutTo: 10, ifAny: true, extra: true },
      { title: "STATUS", of: ({ status }) => status, style: ({ status }) => statusStyle(status), extra: true },
      { title: "DEFINITION", of: ({ definitionId }) => definitionId, cutTo: 10, extra: true },
      { title: "INSTANCE", of: ({ instanceId }) => instanceId, extra: true },
    ],
    items,
    canvas,
  )
  return nextCursor === undefined ? rows : [...rows, "… and more: raise --limit, or narrow it with --as or --group"]
}

/** One that is claimed belongs to a person, one that is not to a group. */
const personOf = ({ assignee, assigneeGroup }: wire.UserTask): string =>
  assignee ?? (assigneeGroup === undefined ? "" : `(${assigneeGroup})`)

const dueStyle = ({ status, dueAt = "" }: wire.UserTask) =>
  status === "OPEN" && Date.parse(dueAt) < Date.now() ? ("red" as const) : undefined

export function drawTask(task: wire.UserTask, canvas: Canvas): readonly string[] {
  const when = (at: string | undefined) =>
    at === undefined ? undefined : `${moment(at)} (${relative(at, Date.now())})`
  return facts(
    [
      ["Task", task.id],
      ["Name", task.name],
      ["Status", task.status, statusStyle(task.status)],
      ["Of", `step ${task.stepId} of ${task.definitionId}, instance ${task.instanceId}`],
      ["Business key", task.businessKey],
      ["Key", task.key],
      ["Assignee", task.assignee],
      ["Group", task.assigneeGroup],
      ["Due", when(task.dueAt), dueStyle(task)],
      ["Form", task.form],
      ["To complete", task.status === "OPEN" ? fieldsOf(task.outputSchema) : undefined],
      ["Variables", task.variables],
      ["Created", when(task.createdAt)],
      ["Completed", when(task.completedAt)],
      ["By", task.completedBy],
    ],
    canvas,
  )
}

/** What it must be completed with: each field with its type. */
function fieldsOf({ properties = {}, required = [] }: wire.VariableSchema = {}): string {
  const names = new Set([...required, ...Object.keys(properties)])
  return [...names]
    .map((name) => {
      const words = [properties[name]?.type ?? "any value", ...(required.includes(name) ? ["required"] : [])]
      return `${name} (${words.join(", ")})`
    })
    .join(", ")
}
