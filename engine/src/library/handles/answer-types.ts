// Which signals and user tasks of a run can be answered, by element or by name, and with what: read from the list as it was written.
import type { CallersTx } from "../../operations/kernel/callers.ts"
import type { JsonObject } from "../../support/json.ts"
import type { SignalElement, TaskElement } from "../authoring/elements.ts"

export interface Within {
  /** Your open transaction: it counts with your commit, and never if you roll back. */
  readonly tx?: CallersTx | undefined
}

export interface Completing extends Within {
  /** Who has done it, for the record. */
  readonly completedBy?: string | undefined
}

/** The elements of this kind in a list. Where the elements are not known, any element of this kind. */
type In<Elements, Kind> = Elements extends readonly (infer Each)[] ? Extract<Each, Kind> : Kind

type SignalIn<Elements> = In<Elements, SignalElement>
type TaskIn<Elements> = In<Elements, TaskElement>

/** The element that waits for it, or the name by which it is sent. */
export type Signal<Elements> = SignalIn<Elements> | SignalName<SignalIn<Elements>>
export type UserTask<Elements> = TaskIn<Elements> | TaskName<TaskIn<Elements>>

type SignalName<Of> = Of extends { readonly signal: infer Name extends string } ? Name : never
type TaskName<Of> = Of extends { readonly name: infer Name extends string } ? Name : never

type Named<Of, Name> = Of extends { readonly signal: infer Own }
  ? Name extends Own
    ? Of
    : never
  : Of extends { readonly name: infer Own }
    ? Name extends Own
      ? Of
      : never
    : never

/** What goes into its schema. */
type TakenBy<Of> = Of extends { readonly takes?: infer Takes } ? Takes : unknown

type Arguments<Takes, Options> = unknown extends Takes
  ? [payload?: JsonObject, options?: Options]
  : [payload: Exclude<Takes, undefined>, options?: Options]

export type SignalArguments<Of, Elements> = Arguments<
  TakenBy<Of extends string ? Named<SignalIn<Elements>, Of> : Of>,
  Within
>
export type TaskArguments<Of, Elements> = Arguments<
  TakenBy<Of extends string ? Named<TaskIn<Elements>, Of> : Of>,
  Completing
>
