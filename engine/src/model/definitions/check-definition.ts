// Which fields a definition may have at the top, and what must be in them.
import { isObject } from "../../support/json.ts"
import { lifeTypeFault } from "../events/life-events.ts"
import { checkFields, fields } from "./check-fields.ts"
import { checkStep } from "./check-step.ts"
import { type Check, duration, flag, identifier, line, list, object, oneOf, type Report, text } from "./checks.ts"
import { PRIORITIES } from "./definition.ts"
import { child } from "./json-path.ts"
import { checkVariableSchema } from "./variable-schema.ts"

const definitionId = identifier({ max: 256, dots: false })
const ignored: Check = () => {}

const checkTop = checkFields(
  fields({
    required: {
      id: definitionId,
      name: line({ min: 1, max: 200 }),
      steps: list(checkStep, { min: 1, max: 1000 }),
    },
    optional: {
      description: text({ min: 0, max: 10_000 }),
      autoStartNextWorkflow: flag,
      nextWorkflowId: definitionId,
      metadata: object,
      inputSchema: checkVariableSchema,
      priority: oneOf(PRIORITIES),
      execution: oneOf(["graph", "steplist"]),
      recover: oneOf(["resume", "restart"]),
      deadline: duration,
      retain: duration,
      events: flag,
      // What a GET answers can be posted back.
      version: ignored,
      uploadedAt: ignored,
    },
  }),
)

export const checkDefinition: Check = (value, path, report) => {
  checkTop(value, path, report)
  if (isObject(value)) checkTogether(value, path, report)
}

function checkTogether(value: Record<string, unknown>, path: string, report: Report): void {
  if (value.autoStartNextWorkflow === true && !Object.hasOwn(value, "nextWorkflowId")) {
    report(child(path, "nextWorkflowId"), "is required with autoStartNextWorkflow", "name the definition to start next")
  }
  const fault = value.events === true ? lifeTypeFault(value.id) : undefined
  if (fault !== undefined) report(child(path, "events"), fault, "choose another id, or leave `events` out")
  if (Object.hasOwn(value, "recover") && value.execution !== "steplist") {
    report(
      child(path, "recover"),
      "`recover` means nothing in a graph",
      'set `execution` to "steplist", or leave it out',
    )
  }
}
