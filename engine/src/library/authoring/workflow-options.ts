// What a workflow may be given besides its name, in types that judge a list while it is written.
import type { Priority } from "../../model/definitions/definition.ts"
import type { AnyElement } from "./elements.ts"
import type { Claim, Recover } from "./list-faults.ts"
import type { CheckedClaim, CheckedSteps, Reading, SettingOf } from "./list-types.ts"
import type { OptionalSchema } from "./standard-schema.ts"

/** Of both forms. */
export interface CommonOptions<Schema extends OptionalSchema> {
  /** Any Standard Schema validator: zod, valibot, arktype … */
  readonly input?: Schema
  /** How often a RetryableError is tried again: 20, or "unlimited". */
  readonly retry?: { readonly retries: number | "unlimited" }
  readonly priority?: Priority
  /** The run fails when it takes longer: 2h, or PT2H. */
  readonly deadline?: string
  /** How long a finished run is kept at least: 30d, or P30D. */
  readonly retain?: string
  /** Publishes what happens to a run, as events of the type `workflow.events.<name>`. */
  readonly events?: boolean
}

export interface ListOptions<
  Schema extends OptionalSchema,
  Elements extends readonly Listable[],
  How extends Recover,
  Hold extends Claim,
> extends CommonOptions<Schema> {
  readonly steps: CheckedSteps<Elements, Reading<Elements, SettingOf<Schema, How, Hold>>>
  /** After a failure: from the first step, with an empty context; or from the step that failed. */
  readonly recover?: How
  /** "transaction": one open transaction holds the run, and the steps write in it. */
  readonly claim?: CheckedClaim<Hold, How>
}

/**
 * What is accepted before it is judged, so that the wrong element alone gets an error. It names functions and not `object`: to see
 * that a function is one of them the compiler settles what it returns, and later can read the list without asking itself in a circle.
 */
export type Listable =
  | AnyElement
  | ((...given: never) => unknown)
  | Readonly<Record<string, unknown>>
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
