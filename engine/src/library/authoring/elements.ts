// The elements of a step list besides plain functions: named and best-effort steps, and the waits that hold no worker.
import type { VariableSchema } from "../../model/definitions/definition.ts"
import { kindOf } from "../../model/definitions/expressions/kind-of.ts"
import type { RetryRule } from "../../model/jobs/step-retry.ts"
import { badRequest } from "../../support/errors.ts"
import { isObject } from "../../support/json.ts"
import { checkKnown } from "./check-authoring.ts"
import { durationMs, isDuration, isoDuration } from "./delay.ts"
import { type Downstream, downstreamName } from "./downstream.ts"
import {
  checkFunctionTimeout,
  checkOnTimeout,
  type IsSure,
  type OnListTimeout,
  type OnTimeout,
  type TargetOf,
} from "./on-timeout.ts"
import { present } from "./present.ts"
import { LIMITS, readLimits, type StepLimits } from "./retries/step-limits.ts"
import type { Checked, OptionalSchema, StandardSchemaV1, TakenBy } from "./standard-schema.ts"
import type { AnyStep, Fact, Step, Undo } from "./step-types.ts"
import type { Stored } from "./stored.ts"

export interface StepElement<
  Run extends AnyStep = AnyStep,
  BestEffort extends boolean = boolean,
  Name extends string = string,
> {
  readonly kind: "step"
  readonly name: Name
  readonly run: Run
  readonly bestEffort: BestEffort
  /** Names it had before: a run that recorded the step under one of them does not run it again. */
  readonly was: readonly string[]
  readonly downstream?: Downstream | string
  /** Takes back what the step did, when its run fails for good or is cancelled. */
  readonly undo?: (argument: never) => unknown
  readonly retry?: RetryRule
  readonly timeoutMs?: number
}

interface WaitElement<Key extends string, Value, Sure extends boolean, Target extends string> {
  /** Also the key under which the context gets what came. */
  readonly name: Key
  readonly bestEffort: false
  readonly was: readonly string[]
  /** Never there at run time: it tells the compiler what the wait puts into the context. */
  readonly puts?: Fact<Key, Value, Sure>
  /** Never there at run time: the step that the list goes to when the wait is not answered in time. */
  readonly goesTo?: Target
}

export interface SignalElement<
  Key extends string = string,
  Value = unknown,
  Sure extends boolean = boolean,
  Name extends string = string,
  Takes = unknown,
  Target extends string = string,
> extends WaitElement<Key, Value, Sure, Target> {
  readonly kind: "signal"
  /** The name by which it is sent. */
  readonly signal: Name
  /** Never there at run time: what the sender hands in. */
  readonly takes?: Takes
  readonly within?: string
  readonly onTimeout?: OnListTimeout
  readonly schema?: StandardSchemaV1
}

export interface TaskElement<
  Key extends string = string,
  Value = unknown,
  Sure extends boolean = boolean,
  Takes = unknown,
  Target extends string = string,
> extends WaitElement<Key, Value, Sure, Target> {
  readonly kind: "task"
  /** Never there at run time: what the task is completed with. */
  readonly takes?: Takes
  readonly assignee?: string
  readonly group?: string
  readonly form?: VariableSchema
  readonly dueIn?: string
  readonly within?: string
  readonly onTimeout?: OnListTimeout
  readonly schema?: StandardSchemaV1
}

export interface SleepElement extends WaitElement<string, never, never, never> {
  readonly kind: "sleep"
  readonly duration: string
}

export type AnyWait = SignalElement | TaskElement | SleepElement
export type AnyElement = AnyStep | StepElement | AnyWait

interface Renamed {
  readonly was?: string | readonly string[]
}
export interface WaitOptions<
  Schema extends OptionalSchema = OptionalSchema,
  Within extends string | undefined = string | undefined,
  Late extends OnListTimeout | undefined = OnTimeout | undefined,
> extends Renamed {
  /** How long to wait at most, such as 3d or P3D. */
  readonly within?: Within
  /**
   * What happens then. "fail" unless it is given: the run fails. "continue": it goes on, and the value is missing.
   * `{ goTo: "name" }`, in lists: it goes on at that later step, which has its name from `step("name", fn)`.
   */
  readonly onTimeout?: Late
  /** Checks what comes, and gives it its type. */
  readonly schema?: Schema
}
export interface TaskOptions<
  Schema extends OptionalSchema = OptionalSchema,
  Within extends string | undefined = string | undefined,
  Late extends OnListTimeout | undefined = OnTimeout | undefined,
> extends WaitOptions<Schema, Within, Late> {
  readonly assignee?: string
  readonly group?: string
  readonly form?: VariableSchema
  /** When it is due, such as 2h or PT2H. Nothing happens then but that it shows. */
  readonly dueIn?: string
}

const OF_A_WAIT = ["within", "onTimeout", "schema", "was"]
export const OF_A_TASK = [...OF_A_WAIT, "assignee", "group", "form", "dueIn"]

type RunOf<Of> = Of extends StepElement<infer Run> ? Run : Of extends AnyStep ? Of : never
type NameOf<Of> = Of extends StepElement<AnyStep, boolean, infer Name> ? Name : string

export interface StepOptions<Output = unknown> extends Renamed, StepLimits {
  /** Takes back what the step did, when the run fails for good or is cancelled: called by a run of its own, until it succeeds. */
  readonly undo?: (undo: Undo<Stored<Awaited<NoInfer<Output>>>>) => unknown
  /** The system it calls. A list is one job: all of it is begun only as that system's limits allow. */
  readonly downstream?: Downstream | string
}

/** A step with options, or under a name of its own. `was`: what it was called before. */
export function step<Argument = Step, Output = unknown>(
  run: (argument: Argument) => Output,
  options?: StepOptions<Output>,
): StepElement<(argument: Argument) => Output, false>
export function step<Argument = Step, Output = unknown, const Name extends string = string>(
  name: Name,
  run: (argument: Argument) => Output,
  options?: StepOptions<Output>,
): StepElement<(argument: Argument) => Output, false, Name>
export function step(first: string | AnyStep, second?: AnyStep | StepOptions, third?: StepOptions): StepElement {
  return typeof first === "function"
    ? stepElement(first.name, first, second as StepOptions | undefined)
    : stepElement(first, second as AnyStep, third)
}

function stepElement(name: string, run: AnyStep, options: StepOptions = {}): StepElement<AnyStep, false> {
  checkKnown(`step ${name}`, options, [...LIMITS, "was", "downstream", "undo"])
  const { was = [], downstream, undo } = options
  downstreamName(downstream)
  const more = present({ downstream, undo, ...readLimits(`step ${name}`, options) })
  return Object.freeze({ kind: "step", name, run, bestEffort: false, was: [was].flat(), ...more })
}

/** Its failure is recorded, and the run goes on: what it returns is optional for the steps after it. */
export function bestEffort<Of extends AnyStep | StepElement>(of: Of): StepElement<RunOf<Of>, true, NameOf<Of>> {
  const given: AnyStep | StepElement = of
  const element = typeof given === "function" ? step(given.name, given) : given
  const { name, run } = element as StepElement<RunOf<Of>, boolean, NameOf<Of>>
  return Object.freeze({ ...element, name, run, bestEffort: true })
}

/** Waits for `run.signal(name, payload)`; a signal that came before is taken at once. `as`: its name here, if not the same. */
export function waitForSignal<
  const Name extends string,
  const As extends string = Name,
  Schema extends OptionalSchema = undefined,
  Within extends string | undefined = undefined,
  const Late extends OnListTimeout | undefined = undefined,
>(
  name: Name,
  options: WaitOptions<Schema, Within, Late> & { readonly as?: As } = {},
): SignalElement<As, Checked<Schema>, IsSure<Within, Late>, Name, TakenBy<Schema>, TargetOf<Late>> {
  if (typeof name !== "string" || name === "") throw badRequest('a wait has no signal: write waitForSignal("approved")')
  checkKnown(`the signal ${name}`, options, [...OF_A_WAIT, "as"])
  const { as = name as string as As, was = [], schema, onTimeout } = options
  checkOnTimeout(`the signal ${name}`, options)
  const within = isoDuration(`within of the signal ${name}`, options.within)
  const fixed = { kind: "signal", name: as, signal: name, bestEffort: false, was: [was].flat() } as const
  return Object.freeze({ ...fixed, ...present({ within, onTimeout, schema }) })
}

/** Waits for a person; what the task is completed with is in the context under its name. */
export function userTask<
  const Name extends string,
  Schema extends OptionalSchema = undefined,
  Within extends string | undefined = undefined,
  const Late extends OnListTimeout | undefined = undefined,
>(
  options: TaskOptions<Schema, Within, Late> & { readonly name: Name },
): TaskElement<Name, Checked<Schema>, IsSure<Within, Late>, TakenBy<Schema>, TargetOf<Late>> {
  if (!isObject(options))
    throw badRequest(`a user task is written userTask({ name: "review" }), not with ${kindOf(options)}`)
  checkKnown(`the user task ${options.name}`, options, [...OF_A_TASK, "name"])
  const { name, was = [], assignee, group, form, schema, onTimeout } = options
  checkOnTimeout(`the user task ${name}`, options)
  const within = isoDuration(`within of the user task ${name}`, options.within)
  const dueIn = isoDuration(`dueIn of the user task ${name}`, options.dueIn)
  const fixed = { kind: "task", name, bestEffort: false, was: [was].flat() } as const
  return Object.freeze({ ...fixed, ...present({ assignee, group, form, dueIn, within, onTimeout, schema }) })
}

/** How long a sleep of the function form is. Without it, it would be over at once. */
export function readSleep(name: string, duration: string): number {
  const ms = durationMs(`the sleep ${name}`, duration)
  if (ms !== undefined) return ms
  const written = isDuration(name) ? `run.sleep("wait", "${name}")` : `run.sleep(${JSON.stringify(name)}, "1h")`
  throw badRequest(`run.sleep(${JSON.stringify(name)}) does not say how long: the name comes first, as in ${written}`)
}

/** The limits of a wait in the function form. */
export function readWait(what: string, options: WaitOptions, known = OF_A_WAIT) {
  checkKnown(what, options, [...known, "key"])
  const { within, onTimeout, schema } = options
  checkFunctionTimeout(what, { within, onTimeout })
  return { withinMs: durationMs(`within of ${what}`, within), onTimeout, schema }
}

/** Lets time pass: sleep("24h"), or sleep("PT24H"). Two sleeps of the same length in one list need names. */
export function sleep(duration: string, options: Renamed & { readonly name?: string } = {}): SleepElement {
  checkKnown("a sleep", options, ["name", "was"])
  const { name, was = [] } = options
  const iso = isoDuration("the duration of a sleep", duration)
  if (iso === undefined) throw badRequest('a sleep does not say how long: write sleep("24h")')
  return Object.freeze({
    kind: "sleep",
    name: name ?? `sleep:${duration}`,
    duration: iso,
    bestEffort: false,
    was: [was].flat(),
  })
}
