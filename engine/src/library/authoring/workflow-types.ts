// A workflow as the library handles it, and what its function form is written with: a run may start further workflows.

import type { Definition, Priority } from "../../model/definitions/definition.ts"
import type { TaskOptions, WaitOptions } from "./elements.ts"
import type { ListElement } from "./list-element.ts"
import type { Claim, Recover } from "./list-faults.ts"
import type { Checked, OptionalSchema, StandardSchemaV1 } from "./standard-schema.ts"
import type { StepCall, StepTx } from "./step-types.ts"
import type { Stored } from "./stored.ts"

export interface Workflow<Payload = unknown, Result = unknown, Elements = unknown> {
  readonly kind: "list" | "function"
  readonly name: string
  readonly input?: StandardSchemaV1
  /** Of a list, in order. */
  readonly elements: readonly ListElement[]
  readonly recover: Recover
  readonly claim: Claim
  readonly retry: { readonly retries: number | "unlimited" }
  readonly priority?: Priority
  readonly deadline?: string
  readonly retain?: string
  readonly events?: boolean
  /** Of the function form. */
  readonly body?: (run: Run, input: unknown) => unknown
  toDefinition(): Definition
  /** Never there at run time: what a caller hands in, what a run ends with, and the list as it was written. */
  readonly types?: { readonly payload: Payload; readonly result: Result; readonly elements: Elements }
}

export type AnyWorkflow = Workflow
export type PayloadOf<Of extends AnyWorkflow> = NonNullable<Of["types"]>["payload"]
export type ResultOf<Of extends AnyWorkflow> = NonNullable<Of["types"]>["result"]
export type ElementsOf<Of extends AnyWorkflow> = NonNullable<Of["types"]>["elements"]

/** The argument of a function that `run.step` calls. */
export interface RunStep extends StepCall {
  /** Commits together with the step's result. */
  readonly tx: StepTx
}

interface Keyed {
  /** Tells calls of the same name apart, in a loop for instance. */
  readonly key?: string
}

type Branches = Readonly<Record<string, () => unknown>>
type Results<Of extends Branches> = { [Name in keyof Of]: Awaited<ReturnType<Of[Name]>> }
type Arrived<Schema extends OptionalSchema, Within> =
  | Checked<Schema>
  | ([Within] extends [undefined] ? never : undefined)

export interface Run {
  /** Runs the function once; afterwards, and after a crash, gives back what it returned. */
  step<Result>(name: string, fn: (step: RunStep) => Result, options?: Keyed): Promise<Stored<Awaited<Result>>>
  /** All branches at once; fails with the first that fails. */
  all<Of extends Branches>(branches: Of): Promise<Results<Of>>
  /** A run of another workflow, to its end. */
  child<Of extends AnyWorkflow>(
    workflow: Of,
    input: PayloadOf<Of>,
    options?: Keyed & { readonly name?: string },
  ): Promise<ResultOf<Of>>
  /** Such as 10m or PT10M. Holds no worker. */
  sleep(name: string, duration: string): Promise<void>
  /** The payload of the signal, or undefined when `within` has passed. */
  signal<Schema extends OptionalSchema = undefined, Within extends string | undefined = undefined>(
    name: string,
    options?: WaitOptions<Schema, Within> & Keyed,
  ): Promise<Arrived<Schema, Within>>
  /** What the task was completed with, or undefined when `within` has passed. */
  userTask<Schema extends OptionalSchema = undefined, Within extends string | undefined = undefined>(
    name: string,
    options?: TaskOptions<Schema, Within> & Keyed,
  ): Promise<Arrived<Schema, Within>>
}
