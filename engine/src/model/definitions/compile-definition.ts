// A definition made ready to run: expressions compiled, durations read, steps found by id. Made once per version and process.
import { assert } from "../../support/assert.ts"
import type { CompiledRetryPolicy } from "../jobs/retry-delay.ts"
import {
  type Assignment,
  type BoundaryTimer,
  type Branch,
  type CompiledStep,
  type CompiledTimeouts,
  compileStep,
  milliseconds,
  type StepTimer,
} from "./compile-step.ts"
import type { Definition, Step } from "./definition.ts"
import { isInFork, reachable, readGraph } from "./graph.ts"
import { listStep } from "./list-step.ts"
import { mayRepeat } from "./may-repeat.ts"

export interface CompiledDefinition {
  readonly id: string
  readonly version: number
  readonly definition: Definition
  readonly entry: Step
  /** A step list: one job, whose worker goes through the steps itself. */
  readonly isList: boolean
  /** A list that is written as a function: which steps it has, only its worker knows. */
  readonly isFunction: boolean
  /** Its steps may have an `undo`: whether those that a run has done have one is on record. */
  readonly mayUndo: boolean
  /** False: no step looks at the variables, so a plan need not load them. */
  readonly readsVariables: boolean
  /** False: no instance can enter the same step twice. */
  readonly mayRepeat: boolean
  readonly deadlineMs?: number
  readonly retainMs?: number
  hasStep(id: string): boolean
  /** Asserts that the step exists. */
  step(id: string): Step
  branches(step: Step): readonly Branch[]
  assignments(step: Step): readonly Assignment[]
  /** By its place among the boundary events of the step. */
  boundaryTimer(step: Step, index: number): BoundaryTimer | undefined
  errorTarget(step: Step): string | undefined
  timers(step: Step): readonly StepTimer[]
  hasTimers(step: Step): boolean
  timeouts(step: Step): CompiledTimeouts
  retryPolicy(step: Step): CompiledRetryPolicy
  dueInMs(step: Step): number | undefined
  /** Whether a token at the one step may still come to the other. */
  leadsTo(from: string, to: string): boolean
  /** A token at the step belongs to a fork. */
  isInFork(stepId: string): boolean
}

/** Expects a definition that `parseDefinition` has accepted. */
export function compileDefinition(definition: Definition, version: number): CompiledDefinition {
  const isList = definition.execution === "steplist"
  const entry = isList ? listStep(definition) : entryOf(definition)
  const steps = new Map([...definition.steps, ...(isList ? [entry] : [])].map((step) => [step.id, compileStep(step)]))
  const isFunction = isList && definition.metadata?.form === "function"
  const graph = readGraph(definition.steps, "$.steps", { inOrder: isList })
  const { deadline, retain } = definition
  return {
    id: definition.id,
    version,
    definition,
    entry,
    isList,
    isFunction,
    mayUndo: isFunction || (isList && definition.metadata?.undo === true),
    readsVariables: definition.autoStartNextWorkflow === true || (!isList && [...steps.values()].some(readsVariables)),
    mayRepeat: !isList && mayRepeat(graph),
    isInFork: (stepId) => isInFork(graph, stepId),
    leadsTo: (from, to) => reachable(graph, from).has(to),
    ...(deadline === undefined ? {} : { deadlineMs: milliseconds(deadline) }),
    ...(retain === undefined ? {} : { retainMs: milliseconds(retain) }),
    ...accessors(steps, isList),
  }
}

function accessors(steps: ReadonlyMap<string, CompiledStep>, isList: boolean) {
  const of = (id: string): CompiledStep => {
    const compiled = steps.get(id) ?? (isList ? compileStep({ id, name: id, type: "USER_TASK" }) : undefined)
    assert(compiled, `the definition has a step ${id}`)
    return compiled
  }
  return {
    hasStep: (id: string) => steps.has(id),
    step: (id: string) => of(id).step,
    branches: (step: Step) => of(step.id).branches,
    assignments: (step: Step) => of(step.id).assignments,
    boundaryTimer: (step: Step, index: number) => of(step.id).boundaryTimers.find((timer) => timer.index === index),
    errorTarget: (step: Step) => of(step.id).errorTarget,
    timers: (step: Step) => of(step.id).timers,
    hasTimers: (step: Step) => of(step.id).timers.length > 0,
    timeouts: (step: Step) => of(step.id).timeouts,
    retryPolicy: (step: Step) => of(step.id).retry,
    dueInMs: (step: Step) => of(step.id).dueInMs,
  }
}

function entryOf({ steps }: Definition): Step {
  const [entry] = steps
  assert(entry, "a definition has at least one step")
  return entry
}

function readsVariables({ branches, assignments }: CompiledStep): boolean {
  return branches.length > 0 || assignments.some((one) => "expression" in one && one.expression.readsVariables)
}
