// Which fields a step of each type may have, and what must be in them.
import { isObject } from "../../support/json.ts"
import { elsewhereHint } from "../kernel/elsewhere.ts"
import { boundaryEvents, checkErrorEvents, reference } from "./check-boundary-events.ts"
import { checkFields, type Fields, fields } from "./check-fields.ts"
import { assignments, conditions } from "./check-maps.ts"
import { checkRetry, retryPolicy } from "./check-retry.ts"
import { type Check, duration, flag, identifier, line, list, number, oneOf, type Report, text } from "./checks.ts"
import { PRIORITIES, STEP_TYPES, type StepType } from "./definition.ts"
import { child } from "./json-path.ts"
import { checkVariableSchema } from "./variable-schema.ts"

type Table = Parameters<typeof fields>[0]

const label = line({ min: 1, max: 200 })
const routingName = identifier({ max: 200, dots: true })
const onError = oneOf(["fail", "continue"])

const taskTimeout = checkFields(fields({ optional: { run: duration, queue: duration, total: duration } }))
const waitTimeout = checkFields(fields({ optional: { total: duration } }))

const TABLES: Readonly<Record<StepType, Table>> = {
  SERVICE_TASK: {
    required: { jobType: routingName },
    optional: {
      retryCount: number({ min: 0, max: 10_000, whole: true }),
      retry: retryPolicy,
      nextStep: reference,
      conditionalNextSteps: conditions,
      delegateClass: text({ min: 0, max: 500 }),
      timeout: taskTimeout,
      onError,
      priority: oneOf(PRIORITIES),
      downstream: routingName,
      outputSchema: checkVariableSchema,
      boundaryEvents,
    },
  },
  USER_TASK: {
    optional: {
      nextStep: reference,
      jobType: routingName,
      conditionalNextSteps: conditions,
      assignee: label,
      assigneeGroup: label,
      dueIn: duration,
      form: checkVariableSchema,
      outputSchema: checkVariableSchema,
      timeout: waitTimeout,
      onError,
      boundaryEvents,
    },
  },
  DECISION: { required: { conditionalNextSteps: conditions } },
  TRANSFORMATION: { required: { transformations: assignments, nextStep: reference } },
  WAIT: {
    required: { nextStep: reference },
    optional: { keepEarly: flag, duration, timeout: waitTimeout, onError, boundaryEvents },
  },
  PARALLEL_GATEWAY: { required: { parallelNextSteps: list(reference, { min: 2, max: 1000 }), joinStep: reference } },
  JOIN_GATEWAY: { required: { nextStep: reference } },
  END: {},
}

const COMMON: Table = {
  required: { id: identifier({ max: 128, dots: true }), name: label, type: oneOf(STEP_TYPES) },
  optional: { description: text({ min: 0, max: 10_000 }) },
}
const commonFields = fields(COMMON)
const fieldsByType = new Map(STEP_TYPES.map((type) => [type, new Map([...commonFields, ...fields(TABLES[type])])]))
const checkByType = new Map(
  [...fieldsByType].map(([type, known]) => [type, checkFields(known, misplaced(type, known))]),
)
const checkUntyped = checkFields(commonFields, (name) => typesWith(name).length > 0)

export const checkStep: Check = (value, path, report) => {
  const type = isObject(value) ? STEP_TYPES.find((known) => known === value.type) : undefined
  const check = type === undefined ? checkUntyped : checkByType.get(type)
  check?.(value, path, report)
  if (!isObject(value)) return
  checkRetry(value, path, report)
  checkErrorEvents(value, path, report)
}

/** A field of another type of step is no typo: say where it belongs. */
function misplaced(type: StepType, known: Fields) {
  return (name: string, path: string, report: Report): boolean => {
    const hint = elsewhereHint(name, known.keys())
    const types = typesWith(name)
    if (hint !== undefined) report(child(path, name), `unknown field \`${name}\``, hint)
    else if (types.length > 0)
      report(child(path, name), `\`${name}\` does not belong on a ${type}`, `it belongs on ${types.join(", ")}`)
    return hint !== undefined || types.length > 0
  }
}

function typesWith(name: string): StepType[] {
  const has = (known: Fields): boolean => known.has(name)
  return [...fieldsByType].filter(([, known]) => has(known)).map(([type]) => type)
}
