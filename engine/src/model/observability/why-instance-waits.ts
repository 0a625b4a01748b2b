// Why an instance is not moving: the people and the signals its open steps wait for, its jobs, and the timers beside them.

import { isoTime } from "../../support/iso-time.ts"
import type { CompiledDefinition } from "../definitions/compile-definition.ts"
import type { OpenStep } from "../instances/instance.ts"
import type { Waiting } from "./waiting.ts"

export interface InstanceFacts {
  /** Undefined where its version cannot be read any more. */
  readonly definition: CompiledDefinition | undefined
  readonly startedAt: number
  readonly open: readonly OpenStep[]
  readonly tasks: readonly TaskFacts[]
  /** What its jobs wait for. */
  readonly jobs: readonly Waiting[]
  readonly timers: readonly TimerFacts[]
  /** Other work of the engine for this instance that fails. */
  readonly failing: readonly FailingFacts[]
}

export interface FailingFacts {
  readonly what: "chain" | "request"
  readonly failures: number
  readonly reason: string
  /** Null: it is not tried again by itself. */
  readonly dueAt: number | null
  readonly since: number
}

interface TaskFacts {
  readonly stepId: string
  readonly name: string
  readonly assignee: string | null
  readonly assigneeGroup: string | null
  readonly dueAt: number | null
  readonly createdAt: number
}

interface TimerFacts {
  readonly execution: number
  readonly timer: string
  readonly dueAt: number
  /** How often it could not fire, and why the last time. */
  readonly failures: number
  readonly lastError: string | null
}

export function whyInstanceWaits(facts: InstanceFacts): readonly Waiting[] {
  const { definition, open, tasks, jobs, timers, failing } = facts
  const atWait = open.filter(({ stepId }) => definition?.step(stepId).type === "WAIT")
  return [
    ...tasks.map(waitsForPerson),
    ...atWait.map(waitsForSignal),
    ...jobs.filter((reason) => !isWordOfTask(reason, tasks)),
    ...timers.map((timer) => waitsForTimer(timer, facts)),
    ...failing.map(isSetAside),
  ]
}

/** A run that has asked for a user task waits for word of it; what ends the wait is the task. */
const isWordOfTask = (reason: Waiting, tasks: readonly TaskFacts[]): boolean =>
  reason.kind === "signal" && reason.detail.signals.every((signal) => tasks.some(({ stepId }) => stepId === signal))

function waitsForPerson({ stepId, name: task, assignee, assigneeGroup, dueAt, createdAt }: TaskFacts): Waiting {
  const detail = {
    task,
    ...(assignee === null ? {} : { assignee }),
    ...(assigneeGroup === null ? {} : { assigneeGroup }),
    ...(dueAt === null ? {} : { dueAt: isoTime(dueAt) }),
  }
  return { kind: "user-task", stepId, since: isoTime(createdAt), detail }
}

const waitsForSignal = ({ stepId, startedAt }: OpenStep): Waiting => ({
  kind: "signal",
  stepId,
  since: isoTime(startedAt),
  detail: { signals: [stepId] },
})

function waitsForTimer(timer: TimerFacts, { open, definition, startedAt }: InstanceFacts): Waiting {
  const step = open.find((one) => one.execution === timer.execution)
  const place = { ...(step ? { stepId: step.stepId } : {}), since: isoTime(step?.startedAt ?? startedAt) }
  const { failures, lastError } = timer
  const dueAt = isoTime(timer.dueAt)
  if (failures > 0)
    return { kind: "set-aside", ...place, detail: { what: "timer", failures, reason: String(lastError), dueAt } }
  const boundary = step ? boundaryOf(definition, step.stepId, timer.timer) : {}
  return { kind: "timer", ...place, detail: { timer: timer.timer, dueAt, ...boundary } }
}

const isSetAside = ({ what, failures, reason, dueAt, since }: FailingFacts): Waiting => ({
  kind: "set-aside",
  since: isoTime(since),
  detail: { what, failures, reason, ...(dueAt === null ? {} : { dueAt: isoTime(dueAt) }) },
})

const BOUNDARY = "boundary:"

function boundaryOf(definition: CompiledDefinition | undefined, stepId: string, timer: string) {
  if (!definition || !timer.startsWith(BOUNDARY)) return {}
  const event = definition.boundaryTimer(definition.step(stepId), Number(timer.slice(BOUNDARY.length)))
  return event ? { targetStepId: event.targetStepId, interrupting: event.interrupting } : {}
}
