// Definitions as a table, the versions of one, and one with its steps.
import type { wire } from "@millrace/sdk"
import { type Canvas, facts, table } from "./table.ts"
import { count, moment, relative } from "./times.ts"

export function drawDefinitions({ items, total }: wire.DefinitionPage, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["There are no such definitions. `millrace definitions upload <file>` brings one."]
  const now = Date.now()
  const rows = table<wire.DefinitionSummary>(
    [
      { title: "DEFINITION", of: ({ id }) => id, style: () => "bold" },
      { title: "VERSION", of: ({ version }) => version, align: "right" },
      { title: "UPLOADED", of: ({ uploadedAt }) => relative(uploadedAt, now), align: "right" },
      { title: "NAME", of: ({ name }) => name, cutTo: 12 },
      { title: "DESCRIPTION", of: ({ description }) => description, cutTo: 16, extra: true, ifAny: true },
    ],
    items,
    canvas,
  )
  return items.length >= total
    ? rows
    : [...rows, `… and ${count(total - items.length)} more: raise --limit, or narrow it with --keyword`]
}

export const drawVersions = ({ items }: wire.DefinitionVersions, canvas: Canvas): readonly string[] =>
  table<wire.DefinitionVersion>(
    [
      { title: "VERSION", of: ({ version }) => version, align: "right", style: () => "bold" },
      { title: "UPLOADED", of: ({ uploadedAt }) => moment(uploadedAt) },
      { title: "BY", of: ({ uploadedBy }) => uploadedBy, cutTo: 10 },
      { title: "NAME", of: ({ name }) => name, cutTo: 12 },
      { title: "DESCRIPTION", of: ({ description }) => description, cutTo: 16, extra: true, ifAny: true },
    ],
    items,
    canvas,
  )

export function drawDefinition(definition: wire.StoredDefinition, canvas: Canvas): readonly string[] {
  const { steps } = definition
  const lines = facts(
    [
      ["Definition", definition.id],
      ["Version", String(definition.version)],
      ["Name", definition.name],
      ["Description", definition.description],
      ["Runs", definition.execution === "steplist" ? "a list of steps, in code" : "a graph of steps"],
      ["Priority", definition.priority],
      ["Deadline", definition.deadline],
      ["Then", definition.nextWorkflowId],
      ["Uploaded", `${moment(definition.uploadedAt)} (${relative(definition.uploadedAt, Date.now())})`],
    ],
    canvas,
  )
  return [...lines, "", ...drawSteps(steps, canvas)]
}

const drawSteps = (steps: readonly wire.Step[], canvas: Canvas): readonly string[] =>
  table<wire.Step>(
    [
      { title: "STEP", of: ({ id }) => id, style: () => "bold", cutTo: 16 },
      { title: "TYPE", of: ({ type }) => type },
      { title: "DOES", of: workOf, cutTo: 12, ifAny: true },
      { title: "NEXT", of: nextOf, cutTo: 16 },
      { title: "NAME", of: ({ id, name }) => (name === id ? "" : name), cutTo: 12, extra: true, ifAny: true },
    ],
    steps,
    canvas,
  )

/** What its worker is asked for, whose task it is, or how long it lasts. */
function workOf(step: wire.Step): string {
  if (step.type === "SERVICE_TASK") return step.jobType ?? ""
  if (step.type === "USER_TASK") return step.assignee ?? step.assigneeGroup ?? ""
  if (step.type === "WAIT") return step.duration ?? ""
  return ""
}

/** The next steps: each case of a decision, each branch of a gateway. Where timers and errors lead is written behind them. */
function nextOf(step: wire.Step): string {
  const fields = step as {
    readonly nextStep?: string
    readonly parallelNextSteps?: readonly string[]
    readonly conditionalNextSteps?: Readonly<Record<string, string>>
    readonly boundaryEvents?: readonly wire.BoundaryEvent[]
  }
  const cases = Object.values(fields.conditionalNextSteps ?? {})
  const next = [...(fields.nextStep ? [fields.nextStep] : []), ...(fields.parallelNextSteps ?? []), ...cases]
  const aside = (fields.boundaryEvents ?? []).map(({ type, targetStepId }) => `${type.toLowerCase()}: ${targetStepId}`)
  return [...new Set(next), ...aside].join(", ")
}
