// How the compiler reads a step list: from first to last, element by element, with the facts that the elements before have established.
import type { AnyWait, SignalElement, StepElement, TaskElement } from "./elements.ts"
import type {
  Claim,
  GoToFault,
  NameIn,
  NoElement,
  Recover,
  Setting,
  StepFault,
  Untyped,
  WaitFault,
} from "./list-faults.ts"
import type { Checked, OptionalSchema } from "./standard-schema.ts"
import type { After, AnyStep, ContextOf, Fact, FactsOf, StepTx, SureKey, Unsure } from "./step-types.ts"
import type { Stored } from "./stored.ts"

export interface SettingOf<Schema extends OptionalSchema, How extends Recover, Hold extends Claim> {
  // Without a schema the steps themselves say what the input is: `never` satisfies each of them.
  readonly input: Checked<Schema, never>
  readonly tx: Hold extends "transaction" ? StepTx : How extends "resume" ? StepTx : undefined
  readonly waits: WaitFault<How, Hold>
}

/**
 * The list itself, with a sentence in place of each element that cannot work. A sentence is a type no element has, so the
 * compiler's error stands at that element and quotes it.
 */
export type CheckedSteps<Elements extends readonly unknown[], Of extends Read> = {
  readonly [At in keyof Elements]: [FaultAt<Of, At>] extends [never] ? Elements[At] : FaultAt<Of, At>
}

export type CheckedClaim<Hold extends Claim, How extends Recover> = Hold extends "transaction"
  ? How extends "resume"
    ? "claim: 'transaction' needs recover: 'restart': one transaction cannot stay open over checkpoints and waits"
    : Hold
  : Hold

/** What a finished run leaves in its context, as it is stored: what came for a wait is there as it was sent. */
export type ListResult<Of extends Read> = AllStored<ContextOf<Of["facts"]>>
type AllStored<Context> = { [Key in keyof Context]: Stored<Context[Key]> }

/** The input that all steps together need. */
export type InputOfAll<Elements extends readonly unknown[]> =
  Taker<Elements[number]> extends (input: infer All) => void ? All : never

/** What was found in a list: a fault (or never) for each element, and the facts that hold at its end. */
interface Read {
  readonly faults: readonly unknown[]
  /** The elements whose place in the list is not known. */
  readonly rest: unknown
  readonly facts: unknown
}

type FaultAt<Of extends Read, At> = At extends keyof Of["faults"] & string ? Of["faults"][At] : Of["rest"]

/**
 * One pass in tail position. Facts are a union: an accumulating intersection hits TS2589 at about twenty steps, this reads
 * hundreds.
 */
export type Reading<
  Elements extends readonly unknown[],
  In extends Setting,
  Facts = never,
  Faults extends readonly unknown[] = [],
  Jumps = never,
> = Elements extends readonly [infer First, ...infer Rest]
  ? [Arriving<Facts, Jumps, First>] extends [infer Here]
    ? Reading<
        Rest,
        In,
        After<Here, FactsOfElement<First>>,
        [...Faults, FaultOf<First, In, Here> | GoToFault<Target<First>, Rest>],
        WithJump<Jumps, Target<First>, Here>
      >
    : never
  : Elements extends readonly []
    ? { readonly faults: Faults; readonly rest: never; readonly facts: Facts }
    : OpenReading<Elements, In, Facts, Faults>

/** From an array of unknown length on: each of its elements may come first, or never, and those behind it have no known place. */
type OpenReading<
  Elements extends readonly unknown[],
  In extends Setting,
  Facts,
  Faults extends readonly unknown[],
  Behind extends readonly unknown[] = [],
> = Elements extends readonly [...infer Open, infer Last]
  ? OpenReading<Open, In, Facts, Faults, [Last, ...Behind]>
  : {
      readonly faults: Faults
      readonly rest:
        | FaultOf<Elements[number], In, FactsOfAny<Elements, Facts>>
        | GoToFault<Target<Elements[number]>, Elements>
        | Reading<Behind, In, FactsOfAny<Elements, Facts>>["faults"][number]
      readonly facts: Reading<Behind, In, FactsOfAny<Elements, Facts>>["facts"]
    }

/** The step that a wait goes to when it is not answered in time. `never`: none, or nothing is known of the wait but that it is one. */
type Target<Element> = Element extends SignalElement | TaskElement
  ? string extends Element["name"]
    ? never
    : NonNullable<Element["goesTo"]>
  : never

/** A way from a wait to a later step, with what was known at the wait: what is between them has not happened. */
interface Jump<To = unknown, Facts = unknown> {
  readonly to: To
  readonly facts: Facts
}

/** Two ways to one step are one, on which only that is sure which is sure on both. */
type WithJump<Jumps, To, Facts> = [To] extends [never]
  ? Jumps
  : Exclude<Jumps, Jump<To>> | (To extends unknown ? Jump<To, Either<Facts, Jumps, To>> : never)

/** What is known at an element: it may be reached from the one before it, and by a jump. */
type Arriving<Facts, Jumps, Element> = [Jumps] extends [never] ? Facts : Either<Facts, Jumps, NameIn<Element>>

type Either<Facts, Jumps, To> = [Extract<Jumps, Jump<To>>] extends [never]
  ? Facts
  : Extract<Jumps, Jump<To>> extends Jump<To, infer Others>
    ? OnBoth<Facts, Others> | OnBoth<Others, Facts>
    : never

type OnBoth<Facts, Others> =
  Facts extends Fact<infer Key, infer Value, infer Sure>
    ? Fact<Key, Value, Key extends SureKey<Others> ? Sure : false>
    : never

type FactsOfAny<Elements extends readonly unknown[], Facts> = Facts | Unsure<FactsOfElement<Elements[number]>>

type FactsOfElement<Element> =
  Element extends StepElement<infer Run, infer BestEffort>
    ? true extends BestEffort
      ? Unsure<FactsOf<Awaited<ReturnType<Run>>>>
      : FactsOf<Awaited<ReturnType<Run>>>
    : Element extends
          | SignalElement<infer Key, infer Value, infer Sure>
          | TaskElement<infer Key, infer Value, infer Sure>
      ? FactOfWait<Key, Value, Sure>
      : Element extends AnyStep
        ? FactsOf<Awaited<ReturnType<Element>>>
        : never

type FactOfWait<Key extends string, Value, Sure extends boolean> = string extends Key ? never : Fact<Key, Value, Sure>

type FaultOf<Element, In extends Setting, Facts> = unknown extends Element ? Untyped : KnownFault<Element, In, Facts>

type KnownFault<Element, In extends Setting, Facts> = Element extends AnyWait
  ? In["waits"]
  : Element extends StepElement<infer Run>
    ? StepFault<Parameter<Run>, Awaited<ReturnType<Run>>, In, Facts>
    : Element extends AnyStep
      ? StepFault<Parameter<Element>, Awaited<ReturnType<Element>>, In, Facts>
      : NoElement

type Parameter<Run> = Run extends (argument: infer Argument) => unknown ? Argument : never

/** The type is the argument of a function: from a union of such functions, the compiler infers what satisfies all of them. */
type Taker<Element> =
  Element extends StepElement<infer Run>
    ? (input: InputOf<Parameter<Run>>) => void
    : Element extends AnyStep
      ? (input: InputOf<Parameter<Element>>) => void
      : (input: unknown) => void
type InputOf<Argument> = Argument extends { readonly input: infer Input } ? Input : unknown
