// A workflow as the library handles it, and what its function form is written with: a run may start further workflows.

import type { Definition, Priority } from "../../model/definitions/definition.ts"
import type { RetryRule } from "../../model/jobs/step-retry.ts"
import type { Downstream } from "./downstream.ts"
import type { TaskOptions, WaitOptions } from "./elements.ts"
import type { ListElement } from "./list-element.ts"
import type { Claim, Recover } from "./list-faults.ts"
import type { IsSure, OnTimeout } from "./on-timeout.ts"
import type { StepLimits } from "./retries/step-limits.ts"
import type { Checked, OptionalSchema, StandardSchemaV1 } from "./standard-schema.ts"
import type { StepCall, StepTx, Undo } from "./step-types.ts"
import type { Stored } from "./stored.ts"

export interface Workflow<Payload = unknown, Result = unknown, Elements = unknown> {
  readonly kind: "list" | "function"
  readonly name: string
  readonly input?: StandardSchemaV1
  /** The elements of a list, in order. The function form has none. */
  readonly elements: readonly ListElement[]
  readonly recover: Recover
  readonly claim: Claim
  /** The retry rule of steps that have none of their own. Its retries are those of a run. */
  readonly retry: RetryRule & { readonly retries: number | "unlimited" }
  readonly timeoutMs?: number
  readonly downstream?: Downstream | string
  readonly priority?: Priority
  readonly deadline?: string
  readonly retain?: string
  readonly events?: boolean
  /** The function of the function form. */
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

export interface CallOptions<Result = unknown> extends Keyed, StepLimits {
  /** Takes back what the step did, when the run fails for good or is cancelled: called by a run of its own, until it succeeds. */
  readonly undo?: (undo: Undo<Stored<Awaited<NoInfer<Result>>>>) => unknown
}

type Branches = Readonly<Record<string, () => unknown>>
type Results<Of extends Branches> = { [Name in keyof Of]: Awaited<ReturnType<Of[Name]>> }
type Arrived<Schema extends OptionalSchema, Within, Late> =
  | Checked<Schema>
  | (IsSure<Within, Late> extends true ? never : undefined)

export interface Run {
  /** Runs the function once; afterwards, and after a crash, gives back what it returned. */
  step<Result>(
    name: string,
    fn: (step: RunStep) => Result,
    options?: CallOptions<Result>,
  ): Promise<Stored<Awaited<Result>>>
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
  /** The payload of the signal. When `within` has passed it throws, or gives undefined with `onTimeout: "continue"`. */
  signal<
    Schema extends OptionalSchema = undefined,
    Within extends string | undefined = undefined,
    Late extends OnTimeout | undefined = undefined,
  >(name: string, options?: WaitOptions<Schema, Within, Late> & Keyed): Promise<Arrived<Schema, Within, Late>>
  /** What the task was completed with. When `within` has passed it is as with a signal. */
  userTask<
    Schema extends OptionalSchema = undefined,
    Within extends string | undefined = undefined,
    Late extends OnTimeout | undefined = undefined,
  >(name: string, options?: TaskOptions<Schema, Within, Late> & Keyed): Promise<Arrived<Schema, Within, Late>>
}
