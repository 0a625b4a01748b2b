// A workflow written in TypeScript as a JSON definition, so that the API shows it like any other. Its steps are run by its worker.
import type { Definition, RetryPolicy, ServiceTask, Step, UserTask, Wait } from "../../model/definitions/definition.ts"
import type { JsonObject } from "../../support/json.ts"
import { downstreamName } from "./downstream.ts"
import type { SignalElement, SleepElement, TaskElement } from "./elements.ts"
import type { ListElement } from "./list-element.ts"
import { present } from "./present.ts"
import type { AnyWorkflow } from "./workflow-types.ts"

// As many as a definition can say; `metadata` has the word.
const UNLIMITED = 10_000

export function toDefinition(workflow: AnyWorkflow): Definition {
  const { name, recover, priority, deadline, retain, events } = workflow
  return {
    id: name,
    name,
    execution: "steplist",
    recover,
    steps: withRetry(workflow.kind === "function" ? [serviceTask(name, name)] : listSteps(workflow), workflow),
    metadata: metadataOf(workflow),
    ...present({ priority, deadline, retain, events }),
  }
}

function listSteps({ name, elements }: AnyWorkflow): Step[] {
  const end = endId(elements)
  const steps = elements.map((element, at) => toStep(element, { workflow: name, next: elements[at + 1]?.name ?? end }))
  // Only a wait must say what comes next, so only a last wait needs an end to name.
  return steps.at(-1)?.type === "WAIT" ? [...steps, { id: end, name: "End", type: "END" }] : steps
}

interface Place {
  readonly workflow: string
  readonly next: string
}

function toStep(element: ListElement, { workflow, next }: Place): Step {
  if (element.kind === "signal") return signalWait(element, next)
  if (element.kind === "sleep") return sleepWait(element, next)
  if (element.kind === "task") return userTask(element)
  return {
    ...serviceTask(element.name, workflow),
    ...(element.bestEffort ? { onError: "continue" } : {}),
    ...present({ downstream: downstreamName(element.downstream) }),
  }
}

const serviceTask = (id: string, jobType: string): ServiceTask => ({ id, name: id, type: "SERVICE_TASK", jobType })

const signalWait = ({ name, within }: SignalElement, nextStep: string): Wait => ({
  id: name,
  name,
  type: "WAIT",
  nextStep,
  ...limit(within),
})

/** A wait for nothing that comes to its end. */
const sleepWait = ({ name, duration }: SleepElement, nextStep: string): Wait => ({
  id: name,
  name,
  type: "WAIT",
  nextStep,
  ...limit(duration),
})

function userTask({ name, assignee, group, dueIn, form, within }: TaskElement): UserTask {
  const fields = present({ assignee, assigneeGroup: group, dueIn, form })
  return { id: name, name, type: "USER_TASK", ...fields, ...limit(within) }
}

function limit(within: string | undefined): Pick<Wait, "timeout" | "onError"> {
  return within === undefined ? {} : { timeout: { total: within }, onError: "continue" }
}

export const retriesOf = ({ retry: { retries } }: Pick<AnyWorkflow, "retry">): number =>
  retries === "unlimited" ? UNLIMITED : retries

/** The whole list is one job: its budget stands on the first step that can have one. */
function withRetry(steps: readonly Step[], { retry: { retries } }: AnyWorkflow): Step[] {
  const first = steps.findIndex(({ type }) => type === "SERVICE_TASK")
  const retry: RetryPolicy = {
    retries: retriesOf({ retry: { retries } }),
    base: "PT30S",
    factor: 2,
    cap: "PT1H",
    jitter: "partial",
  }
  return steps.map((step, at) => (at === first ? ({ ...step, retry } as ServiceTask) : step))
}

function metadataOf({ kind, claim, retry, elements }: AnyWorkflow): JsonObject {
  const told = elements.flatMap((element) => detailsOf(element))
  return { form: kind, claim, retries: retry.retries, ...(told.length === 0 ? {} : { elements: told }) }
}

/** What the step itself has no field for. */
function detailsOf(element: ListElement): JsonObject[] {
  const was = element.was.length === 0 ? {} : { was: element.was }
  const more =
    element.kind === "signal"
      ? { kind: element.kind, signal: element.signal }
      : element.kind === "sleep"
        ? { kind: element.kind, duration: element.duration }
        : {}
  const details = { ...more, ...was }
  return Object.keys(details).length === 0 ? [] : [{ id: element.name, ...details }]
}

function endId(elements: readonly ListElement[]): string {
  const taken = new Set(elements.map(({ name }) => name))
  let id = "end"
  while (taken.has(id)) id += ":"
  return id
}
