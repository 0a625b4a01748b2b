// A workflow written in TypeScript as a JSON definition, so that the API shows it like any other. Its steps are run by its worker.
import type { Definition, RetryPolicy, ServiceTask, Step, UserTask, Wait } from "../../model/definitions/definition.ts"
import type { ToldSchemas } from "../../model/definitions/schemas/told-schemas.ts"
import type { JitteredBackoff } from "../../model/jobs/retry-delay.ts"
import { DEFAULT_BACKOFF, type RetryRule } from "../../model/jobs/step-retry.ts"
import { formatDuration } from "../../model/kernel/durations.ts"
import type { JsonObject } from "../../support/json.ts"
import { downstreamName } from "./downstream.ts"
import type { SignalElement, SleepElement, TaskElement } from "./elements.ts"
import { jsonForm } from "./json-form.ts"
import type { ListElement } from "./list-element.ts"
import { isGoTo, type OnListTimeout } from "./on-timeout.ts"
import { present } from "./present.ts"
import type { AnyWorkflow } from "./workflow-types.ts"

// The largest number that a definition can hold. `metadata` says that it means no limit.
const UNLIMITED = 10_000

export function toDefinition(workflow: AnyWorkflow): Definition {
  const { name, recover, priority, deadline, retain, events } = workflow
  return {
    id: name,
    name,
    execution: "steplist",
    recover,
    steps: withRetry(workflow.kind === "function" ? [functionStep(workflow)] : listSteps(workflow), workflow),
    metadata: metadataOf(workflow),
    ...present({ priority, deadline, retain, events }),
  }
}

const functionStep = ({ name, downstream }: AnyWorkflow): ServiceTask => ({
  ...serviceTask(name, name),
  ...present({ downstream: downstreamName(downstream) }),
})

function listSteps(workflow: AnyWorkflow): Step[] {
  const { elements } = workflow
  const end = endId(elements)
  const steps = elements.map((element, at) => toStep(element, { workflow, next: elements[at + 1]?.name ?? end }))
  // Only a wait must say what comes next, so only a last wait needs an end to name.
  return steps.at(-1)?.type === "WAIT" ? [...steps, { id: end, name: "End", type: "END" }] : steps
}

interface Place {
  readonly workflow: AnyWorkflow
  readonly next: string
}

function toStep(element: ListElement, { workflow, next }: Place): Step {
  if (element.kind === "signal") return signalWait(element, next)
  if (element.kind === "sleep") return sleepWait(element, next)
  if (element.kind === "task") return userTask(element)
  const timeoutMs = element.timeoutMs ?? workflow.timeoutMs
  return {
    ...serviceTask(element.name, workflow.name),
    ...(element.bestEffort ? { onError: "continue" } : {}),
    ...(timeoutMs === undefined ? {} : { timeout: { run: formatDuration(timeoutMs) } }),
    ...present({ downstream: downstreamName(element.downstream ?? workflow.downstream) }),
  }
}

const serviceTask = (id: string, jobType: string): ServiceTask => ({ id, name: id, type: "SERVICE_TASK", jobType })

const signalWait = ({ name, within, onTimeout }: SignalElement, nextStep: string): Wait => ({
  id: name,
  name,
  type: "WAIT",
  nextStep,
  ...limit(within, onTimeout),
})

/** A wait for nothing that comes to its end. */
const sleepWait = ({ name, duration }: SleepElement, nextStep: string): Wait => ({
  id: name,
  name,
  type: "WAIT",
  nextStep,
  ...limit(duration, "continue"),
})

function userTask({ name, assignee, group, dueIn, form, within, onTimeout }: TaskElement): UserTask {
  const fields = present({ assignee, assigneeGroup: group, dueIn, form })
  return { id: name, name, type: "USER_TASK", ...fields, ...limit(within, onTimeout) }
}

type Limit = Pick<Wait, "timeout" | "onError" | "boundaryEvents">

function limit(within: string | undefined, onTimeout: OnListTimeout = "fail"): Limit {
  if (within === undefined) return {}
  if (!isGoTo(onTimeout)) return { timeout: { total: within }, onError: onTimeout }
  const { goTo: targetStepId } = onTimeout
  return { boundaryEvents: [{ type: "TIMER", duration: within, interrupting: true, targetStepId }] }
}

export const retriesOf = ({ retry: { retries } }: Pick<AnyWorkflow, "retry">): number =>
  retries === "unlimited" ? UNLIMITED : retries

/** The whole list is one job: its budget stands on the first step that can have one. */
function withRetry(steps: readonly Step[], workflow: AnyWorkflow): Step[] {
  const first = steps.findIndex(({ type }) => type === "SERVICE_TASK")
  const { backoff = DEFAULT_BACKOFF } = workflow.retry
  const retry: RetryPolicy = { retries: retriesOf(workflow), ...policyOf(backoff) }
  return steps.map((step, at) => (at === first ? ({ ...step, retry } as ServiceTask) : step))
}

/** In the words of a definition, where a base of nothing is left out: the retry is immediate. */
function policyOf({ baseMs, factor, capMs, jitter }: JitteredBackoff): Omit<RetryPolicy, "retries"> {
  return baseMs === 0 ? {} : { base: formatDuration(baseMs), factor, cap: formatDuration(capMs), jitter }
}

function metadataOf({ kind, claim, retry, timeoutMs, input, elements }: AnyWorkflow): JsonObject {
  const told = elements.flatMap((element) => detailsOf(element))
  return {
    form: kind,
    claim,
    retries: retry.retries,
    ...(retry.errors === "all" ? { retried: "all" } : {}),
    ...(kind === "function" && timeoutMs !== undefined ? { timeout: formatDuration(timeoutMs) } : {}),
    ...(elements.some(isUndoable) ? { undo: true } : {}),
    ...(told.length === 0 ? {} : { elements: told }),
    ...schemasOf(input, elements),
  }
}

/** For the doors, where the validators can say it. A signal that one of its waits cannot describe is not judged there. */
function schemasOf(input: AnyWorkflow["input"], elements: readonly ListElement[]): { readonly schemas?: ToldSchemas } {
  const waits = elements.filter((element) => element.kind === "signal" || element.kind === "task")
  const names = new Set(waits.map(toldBy))
  const forms = [...names].flatMap((name) => {
    const all = waits.filter((wait) => toldBy(wait) === name).map(({ schema }) => jsonForm(schema))
    return all.includes(undefined) ? [] : [[name, all as JsonObject[]] as const]
  })
  const schemas = {
    ...present({ input: jsonForm(input) }),
    ...(forms.length === 0 ? {} : { waits: Object.fromEntries(forms) }),
  }
  return Object.keys(schemas).length === 0 ? {} : { schemas }
}

const toldBy = (wait: SignalElement | TaskElement): string => (wait.kind === "signal" ? wait.signal : wait.name)

export const isUndoable = (element: ListElement): boolean => element.kind === "step" && element.undo !== undefined

/** What the step itself has no field for. */
function detailsOf(element: ListElement): JsonObject[] {
  const was = element.was.length === 0 ? {} : { was: element.was }
  const more =
    element.kind === "signal"
      ? { kind: element.kind, signal: element.signal }
      : element.kind === "sleep"
        ? { kind: element.kind, duration: element.duration }
        : element.kind === "step" && element.retry
          ? { retry: ruleInWords(element.retry) }
          : {}
  const details = { ...more, ...was }
  return Object.keys(details).length === 0 ? [] : [{ id: element.name, ...details }]
}

/** The step's own retry rule: the list as a whole is one job, and its first step has the rule of that. */
const ruleInWords = ({ errors, retries, backoff }: RetryRule): JsonObject => ({
  errors,
  ...present({ retries }),
  ...(backoff ? policyOf(backoff) : {}),
})

function endId(elements: readonly ListElement[]): string {
  const taken = new Set(elements.map(({ name }) => name))
  let id = "end"
  while (taken.has(id)) id += ":"
  return id
}
