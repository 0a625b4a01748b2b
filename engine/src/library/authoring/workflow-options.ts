// What a workflow may be given besides its name, in types that judge a list while it is written.
import type { Priority } from "../../model/definitions/definition.ts"
import type { Delay } from "./delay.ts"
import type { Downstream } from "./downstream.ts"
import type { AnyElement } from "./elements.ts"
import type { Claim, Recover } from "./list-faults.ts"
import type { CheckedClaim, CheckedSteps, Reading, SettingOf } from "./list-types.ts"
import type { RetryOption } from "./retries/retry-rule.ts"
import type { OptionalSchema } from "./standard-schema.ts"

/** The options that both forms have. */
export interface CommonOptions<Schema extends OptionalSchema> {
  /** Any Standard Schema validator: zod, valibot, arktype … */
  readonly input?: Schema
  /** "marked" unless it is given; for every step that has no rule of its own, and for all retries of a run together. */
  readonly retry?: RetryOption
  /** How long one call of a step may take, where the step does not say it itself: 30s, or PT30S. */
  readonly timeout?: Delay
  /** The system that its steps call: a run is begun only as that system's limits allow. */
  readonly downstream?: Downstream | string
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
  Elements extends ListableAll,
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
type Listable =
  | AnyElement
  | ((...given: never) => unknown)
  | Readonly<Record<string, unknown>>
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined

/**
 * A list with a function whose argument has no type is read with something unknown in its place, which must be accepted too: else the
 * compiler reads no element of it, and finds fault with all of them.
 */
export type ListableAll = readonly Listable[] | readonly (NonNullable<unknown> | null | undefined)[]
