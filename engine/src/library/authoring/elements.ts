// The elements of a step list besides plain functions: named and best-effort steps, and the waits that hold no worker.
import type { VariableSchema } from "../../model/definitions/definition.ts"
import { isoDuration } from "./delay.ts"
import { type Downstream, downstreamName } from "./downstream.ts"
import { present } from "./present.ts"
import type { Checked, OptionalSchema, StandardSchemaV1 } from "./standard-schema.ts"
import type { AnyStep, Fact, Step } from "./step-types.ts"

export interface StepElement<Run extends AnyStep = AnyStep, BestEffort extends boolean = boolean> {
  readonly kind: "step"
  readonly name: string
  readonly run: Run
  readonly bestEffort: BestEffort
  /** Names it had before: a run that recorded the step under one of them does not run it again. */
  readonly was: readonly string[]
  readonly downstream?: Downstream | string
}

interface WaitElement<Key extends string, Value, Sure extends boolean> {
  /** Also the key under which the context gets what came. */
  readonly name: Key
  readonly bestEffort: false
  readonly was: readonly string[]
  /** Never there at run time: it tells the compiler what the wait puts into the context. */
  readonly puts?: Fact<Key, Value, Sure>
}

export interface SignalElement<Key extends string = string, Value = unknown, Sure extends boolean = boolean>
  extends WaitElement<Key, Value, Sure> {
  readonly kind: "signal"
  /** The name by which it is sent. */
  readonly signal: string
  readonly within?: string
  readonly schema?: StandardSchemaV1
}

export interface TaskElement<Key extends string = string, Value = unknown, Sure extends boolean = boolean>
  extends WaitElement<Key, Value, Sure> {
  readonly kind: "task"
  readonly assignee?: string
  readonly group?: string
  readonly form?: VariableSchema
  readonly dueIn?: string
  readonly within?: string
  readonly schema?: StandardSchemaV1
}

export interface SleepElement extends WaitElement<string, never, never> {
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
> extends Renamed {
  /** How long to wait at most, such as 3d or P3D. Afterwards the list goes on without a value. */
  readonly within?: Within
  /** Checks what comes, and gives it its type. */
  readonly schema?: Schema
}
export interface TaskOptions<
  Schema extends OptionalSchema = OptionalSchema,
  Within extends string | undefined = string | undefined,
> extends WaitOptions<Schema, Within> {
  readonly assignee?: string
  readonly group?: string
  readonly form?: VariableSchema
  /** When it is due, such as 2h or PT2H. Nothing happens then but that it shows. */
  readonly dueIn?: string
}

type IsSure<Within> = [Within] extends [undefined] ? true : false
type RunOf<Of> = Of extends StepElement<infer Run> ? Run : Of extends AnyStep ? Of : never

interface StepOptions extends Renamed {
  /** The system it calls. A list is one job: all of it is begun only as that system's limits allow. */
  readonly downstream?: Downstream | string
}

/** A step under a name of its own. `was`: what it was called before. */
export function step<Argument = Step, Output = unknown>(
  name: string,
  run: (argument: Argument) => Output,
  { was = [], downstream }: StepOptions = {},
): StepElement<(argument: Argument) => Output, false> {
  downstreamName(downstream)
  return Object.freeze({ kind: "step", name, run, bestEffort: false, was: [was].flat(), ...present({ downstream }) })
}

/** Its failure is recorded, and the run goes on: what it returns is optional for the steps after it. */
export function bestEffort<Of extends AnyStep | StepElement>(of: Of): StepElement<RunOf<Of>, true> {
  const given: AnyStep | StepElement = of
  const element = typeof given === "function" ? step(given.name, given) : given
  return Object.freeze({ ...element, run: element.run as RunOf<Of>, bestEffort: true })
}

/** Waits for `mill.signal(id, name, payload)`; a signal that came before is taken at once. `as`: its name here, if not the same. */
export function waitForSignal<
  const Name extends string,
  const As extends string = Name,
  Schema extends OptionalSchema = undefined,
  Within extends string | undefined = undefined,
>(
  name: Name,
  options: WaitOptions<Schema, Within> & { readonly as?: As } = {},
): SignalElement<As, Checked<Schema>, IsSure<Within>> {
  const { as = name as string as As, was = [], schema } = options
  const within = isoDuration(`within of the signal ${name}`, options.within)
  const fixed = { kind: "signal", name: as, signal: name, bestEffort: false, was: [was].flat() } as const
  return Object.freeze({ ...fixed, ...present({ within, schema }) })
}

/** Waits for a person; what the task is completed with is in the context under its name. */
export function userTask<
  const Name extends string,
  Schema extends OptionalSchema = undefined,
  Within extends string | undefined = undefined,
>(options: TaskOptions<Schema, Within> & { readonly name: Name }): TaskElement<Name, Checked<Schema>, IsSure<Within>> {
  const { name, was = [], assignee, group, form, schema } = options
  const within = isoDuration(`within of the user task ${name}`, options.within)
  const dueIn = isoDuration(`dueIn of the user task ${name}`, options.dueIn)
  const fixed = { kind: "task", name, bestEffort: false, was: [was].flat() } as const
  return Object.freeze({ ...fixed, ...present({ assignee, group, form, dueIn, within, schema }) })
}

/** Lets time pass: sleep("24h"), or sleep("PT24H"). Two sleeps of the same length in one list need names. */
export function sleep(duration: string, { name, was = [] }: Renamed & { readonly name?: string } = {}): SleepElement {
  const iso = isoDuration("the duration of a sleep", duration) as string
  return Object.freeze({
    kind: "sleep",
    name: name ?? `sleep:${duration}`,
    duration: iso,
    bestEffort: false,
    was: [was].flat(),
  })
}
