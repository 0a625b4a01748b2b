// Which events a step may have at its boundary: timers, and at most one that takes over when the step fails for good.
import { isObject } from "../../support/json.ts"
import { checkFields, fields } from "./check-fields.ts"
import { type Check, duration, flag, list, oneOf, type Report, wrongKind } from "./checks.ts"
import { child } from "./json-path.ts"

/** Whether the step exists is a question for the whole document. */
export const reference: Check = (value, path, report) => {
  if (typeof value !== "string") wrongKind("the id of a step", value, path, report)
}

const type = oneOf(["TIMER", "ERROR"])

const alwaysInterrupting: Check = (value, path, report) => {
  flag(value, path, report)
  if (value === false)
    report(path, "an ERROR event is always interrupting: its step has failed", "leave `interrupting` out")
}

const timerEvent = checkFields(
  fields({ required: { type, duration, targetStepId: reference }, optional: { interrupting: flag } }),
)

const errorEvent = checkFields(
  fields({ required: { type, targetStepId: reference }, optional: { interrupting: alwaysInterrupting } }),
  (name, path, report) => {
    if (name !== "duration") return false
    report(child(path, name), "an ERROR event has no duration", "leave it out: the event fires when the step fails")
    return true
  },
)

const boundaryEvent: Check = (value, path, report) =>
  (isErrorEvent(value) ? errorEvent : timerEvent)(value, path, report)

export const boundaryEvents = list(boundaryEvent, { min: 0, max: 100 })

/** What an ERROR event asks of its step: that it is the only one, and that a failure is not passed over already. */
export function checkErrorEvents(step: Record<string, unknown>, path: string, report: Report): void {
  const events: unknown[] = Array.isArray(step.boundaryEvents) ? step.boundaryEvents : []
  const [first, ...others] = [...events.keys()].filter((index) => isErrorEvent(events[index]))
  if (first === undefined) return
  const at = (index: number): string => child(child(path, "boundaryEvents"), index)
  for (const index of others) report(at(index), "a step has at most one ERROR event", "keep one of them")
  if (step.onError !== "continue") return
  report(
    child(path, "onError"),
    '`onError: "continue"` and an ERROR event exclude each other',
    "leave `onError` out: the event decides where a failure leads",
  )
}

/** By its type alone, however faulty the rest of it is. */
export const isErrorEvent = (event: unknown): event is Record<string, unknown> =>
  isObject(event) && event.type === "ERROR"
