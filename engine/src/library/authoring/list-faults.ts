// What can be wrong with an element of a step list, as sentences that the compiler quotes at that element. No fault is `never`.
import type { Empty, Fact, FactAt, StepCall } from "./step-types.ts"

export type Recover = "restart" | "resume"
export type Claim = "lease" | "transaction"

/** What holds for every element of a list. */
export interface Setting {
  readonly input: unknown
  readonly tx: unknown
  readonly waits: string
}

export type WaitFault<How extends Recover, Hold extends Claim> = How extends "resume"
  ? never
  : Hold extends "transaction"
    ? "a wait cannot be in a list with claim: 'transaction': use recover: 'resume' and claim: 'lease'"
    : "a wait needs recover: 'resume': a restart list would run everything before it again"

/** The name of an element, where the compiler knows it: that of a function is a string like any other. */
export type NameIn<Element> = Element extends { readonly name: infer Name extends string }
  ? string extends Name
    ? never
    : Name
  : never

/** Faults of a wait that goes to a step when it times out. */
export type GoToFault<To, Rest extends readonly unknown[]> = [To] extends [never]
  ? never
  : number extends Rest["length"]
    ? "onTimeout: { goTo } needs a list whose elements are all written in it, without ...others"
    : string extends To
      ? "onTimeout: { goTo } needs the name itself, such as { goTo: 'cancel' }: this is any string"
      : [To] extends [NameIn<Rest[number]>]
        ? never
        : `onTimeout goes to ${To & string}, which is no later step of this list: write step('${To & string}', fn) behind this wait`

/** What the compiler could not read: a function whose argument has no type. */
export type Untyped =
  "this step's argument has no type: write ({ input, context }: Step<Input, { key: string }>) => …, with what it needs"

export type NoElement =
  "a list has functions of one argument, step(), bestEffort(), waitForSignal(), sleep() and userTask(): this is none of them"

/** Written as a conditional type: for a plain union, the compiler would print the name of its alias and hide the sentences. */
export type StepFault<Argument, Output, In extends Setting, Facts> = [In] extends [Setting]
  ?
      | ArgumentFault<Argument>
      | InputFault<Argument, In["input"]>
      | TxFault<Argument, In["tx"]>
      | ContextFault<Argument, Facts>
      | OutputFault<Output>
  : never

/** `never` fits whatever a step declares: those three are judged one by one. */
interface Given extends StepCall {
  readonly input: never
  readonly context: never
  readonly tx: never
}

type ArgumentFault<Argument> = Given extends Argument
  ? never
  : "a step takes one argument, Step<Input, Needs>: this function asks for something else"

type InputFault<Argument, Input> = Argument extends { readonly input: infer Declared }
  ? [Input] extends [Declared]
    ? never
    : InputSentence<Declared extends object ? UnfitKey<Declared, Input> : never>
  : never

type InputSentence<Key extends string> = [Key] extends [never]
  ? "this step declares another Input than the workflow's input"
  : `this step needs input.${Key}, which the workflow's input does not give in that type`

type UnfitKey<Declared, Input> = {
  [Key in keyof Declared & string]-?: Key extends keyof Input
    ? [Input[Key]] extends [Declared[Key]]
      ? never
      : Key
    : Empty extends Pick<Declared, Key>
      ? never
      : Key
}[keyof Declared & string]

type TxFault<Argument, Tx> = Argument extends { readonly tx: infer Declared }
  ? [Tx] extends [Declared]
    ? never
    : Tx extends undefined
      ? "this step needs tx, which a leased restart list does not have: use claim: 'transaction' or recover: 'resume'"
      : "this step declares another tx than the one it gets: use TxStep<Input, Needs>"
  : never

type ContextFault<Argument, Facts> = Argument extends { readonly context: infer Needs }
  ? { [Key in keyof Needs & string]-?: NeedFault<Needs, Key, FactAt<Facts, Key>> }[keyof Needs & string]
  : never

type NeedFault<Needs, Key extends keyof Needs & string, Known extends Fact> = [Known] extends [never]
  ? IsOptional<Needs, Key> extends true
    ? never
    : `this step needs context.${Key}, which no step before it returns`
  : [Known["value"]] extends [Exclude<Needs[Key], undefined>]
    ? UnsureFault<Needs, Key, Known["sure"]>
    : `this step needs context.${Key} in another type than the steps before it return`

type UnsureFault<Needs, Key extends keyof Needs & string, Sure extends boolean> = true extends Sure
  ? never
  : Empty extends Pick<Needs, Key>
    ? never
    : undefined extends Needs[Key]
      ? never
      : `this step needs context.${Key}, which the steps before it return only sometimes: declare it optional, ${Key}?:`

/** A key of type unknown is still a key that a step must provide. */
type IsOptional<Needs, Key extends keyof Needs> =
  Empty extends Pick<Needs, Key>
    ? true
    : unknown extends Needs[Key]
      ? false
      : undefined extends Needs[Key]
        ? true
        : false

type OutputFault<Output> = [Output] extends [object | undefined | null | void]
  ? [Extract<Output, Keyless>] extends [never]
    ? UnkeptSentence<UnkeptKey<Output>>
    : OutputSentence
  : OutputSentence
type OutputSentence = "a step returns an object, whose keys go into the context, or nothing"
type Keyless = readonly unknown[] | ((...given: never) => unknown) | Date | Unkept

/** What JSON has no form for, and a later step would miss. A function is left out on purpose: objects of libraries have some. */
type Unkept = bigint | symbol | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
type UnkeptKey<Output> = Output extends object
  ? keyof { [Key in keyof Output & string as true extends IsUnkept<Output[Key]> ? Key : never]: true } & string
  : never
type IsUnkept<Value> = unknown extends Value ? false : [Extract<Value, Unkept>] extends [never] ? false : true
/** Where a function has a fault of its own the compiler does not know its keys: that fault is enough. */
type UnkeptSentence<Key extends string> = [Key] extends [never]
  ? never
  : string extends Key
    ? never
    : `this step returns ${Key}, which JSON cannot hold: return String(n) for a bigint, [...set] for a Set, Object.fromEntries(map) for a Map`
