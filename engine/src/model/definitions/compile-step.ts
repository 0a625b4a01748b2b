// Everything the planner asks about one step, computed once.
import { assert } from "../../support/assert.ts"
import type { JsonValue } from "../../support/json.ts"
import type { CompiledRetryPolicy } from "../jobs/retry-delay.ts"
import { parseIsoDuration } from "../kernel/durations.ts"
import type { RetryPolicy, Step, StepTimeouts } from "./definition.ts"
import type { Expression } from "./expressions/ast.ts"
import { compileExpression } from "./expressions/compile-expression.ts"
import { compileTemplate } from "./expressions/template.ts"

export interface Branch {
  readonly source: string
  readonly expression: Expression
  readonly target: string
}

export type Assignment =
  | { readonly name: string; readonly expression: Expression }
  | { readonly name: string; readonly value: JsonValue }

export interface BoundaryTimer {
  readonly index: number
  readonly durationMs: number
  readonly interrupting: boolean
  readonly targetStepId: string
}

/** A timer that starts with the step: `boundary:<index>`, `duration`, `queue` or `total`. `timeout.run` belongs to an attempt, not to the step. */
export interface StepTimer {
  readonly timer: string
  readonly dueInMs: number
}

export interface CompiledTimeouts {
  readonly runMs?: number
  readonly queueMs?: number
  readonly totalMs?: number
}

export interface CompiledStep {
  readonly step: Step
  /** In document order: the first that is true wins. */
  readonly branches: readonly Branch[]
  readonly assignments: readonly Assignment[]
  readonly boundaryTimers: readonly BoundaryTimer[]
  /** Where the token goes when the step fails for good; undefined: the instance fails. */
  readonly errorTarget: string | undefined
  readonly timers: readonly StepTimer[]
  readonly timeouts: CompiledTimeouts
  readonly retry: CompiledRetryPolicy
  readonly dueInMs: number | undefined
}

const DEFAULT_CAP_MS = 3_600_000
const IMMEDIATE: CompiledRetryPolicy = { retries: 0, baseMs: 0, factor: 1, capMs: 0, jitter: "none" }

export function compileStep(step: Step): CompiledStep {
  const boundaryTimers = compileBoundaryTimers(step)
  const timeouts = compileTimeouts("timeout" in step ? step.timeout : undefined)
  const durationMs = step.type === "WAIT" ? optionalMs(step.duration) : undefined
  return {
    step,
    branches: compileBranches(step),
    assignments: compileAssignments(step),
    boundaryTimers,
    errorTarget: step.boundaryEvents?.find(({ type }) => type === "ERROR")?.targetStepId,
    timers: stepTimers({ boundaryTimers, timeouts, durationMs }),
    timeouts,
    retry: compileRetry(step),
    dueInMs: step.type === "USER_TASK" ? optionalMs(step.dueIn) : undefined,
  }
}

function compileBranches(step: Step): readonly Branch[] {
  const { conditionalNextSteps = {} } = step as { conditionalNextSteps?: Readonly<Record<string, string>> }
  return Object.entries(conditionalNextSteps).map(([source, target]) => ({
    source,
    expression: compileExpression(source),
    target,
  }))
}

function compileAssignments(step: Step): readonly Assignment[] {
  if (step.type !== "TRANSFORMATION") return []
  return Object.entries(step.transformations).map(([name, value]) => {
    const template = compileTemplate(value)
    return template.kind === "literal" ? { name, value: template.value } : { name, expression: template.expression }
  })
}

/** By their place among all events of the step: what is stored of a timer is its index. */
function compileBoundaryTimers({ boundaryEvents = [] }: Step): readonly BoundaryTimer[] {
  return boundaryEvents.flatMap((event, index) => {
    if (event.type !== "TIMER") return []
    const { duration, interrupting, targetStepId } = event
    return [{ index, durationMs: milliseconds(duration), interrupting, targetStepId }]
  })
}

function compileTimeouts({ run, queue, total }: StepTimeouts = {}): CompiledTimeouts {
  return {
    ...(run === undefined ? {} : { runMs: milliseconds(run) }),
    ...(queue === undefined ? {} : { queueMs: milliseconds(queue) }),
    ...(total === undefined ? {} : { totalMs: milliseconds(total) }),
  }
}

interface TimeLimits extends Pick<CompiledStep, "boundaryTimers" | "timeouts"> {
  readonly durationMs: number | undefined
}

function stepTimers({ boundaryTimers, timeouts: { queueMs, totalMs }, durationMs }: TimeLimits): readonly StepTimer[] {
  return [
    ...boundaryTimers.map((one) => ({ timer: `boundary:${one.index}`, dueInMs: one.durationMs })),
    ...(durationMs === undefined ? [] : [{ timer: "duration", dueInMs: durationMs }]),
    ...(queueMs === undefined ? [] : [{ timer: "queue", dueInMs: queueMs }]),
    ...(totalMs === undefined ? [] : [{ timer: "total", dueInMs: totalMs }]),
  ]
}

function compileRetry(step: Step): CompiledRetryPolicy {
  if (step.type !== "SERVICE_TASK") return IMMEDIATE
  const {
    retries,
    base,
    factor = 2,
    cap,
    jitter = "none",
  }: RetryPolicy = step.retry ?? { retries: step.retryCount ?? 0 }
  if (base === undefined) return { ...IMMEDIATE, retries }
  const baseMs = milliseconds(base)
  return { retries, baseMs, factor, capMs: optionalMs(cap) ?? Math.max(DEFAULT_CAP_MS, baseMs), jitter }
}

function optionalMs(text: string | undefined): number | undefined {
  return text === undefined ? undefined : milliseconds(text)
}

/** Expects a duration that the parser has accepted. */
export function milliseconds(text: string): number {
  const durationMs = parseIsoDuration(text)
  assert(durationMs !== undefined, `a stored definition has valid durations, not ${text}`)
  return durationMs
}
