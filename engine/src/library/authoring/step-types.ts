// The one argument of a step, and what the compiler learns from a step's function: which keys it puts into the context, and how surely.
import type { Stored } from "./stored.ts"

/** What pino's methods take, and those of most loggers. */
interface LogMethod {
  (message: string): void
  (fields: object, message?: string): void
}
export interface StepLog {
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: LogMethod
  readonly error: LogMethod
}

interface StepRows<Row> {
  readonly rows: Row[]
  readonly rowCount: number | null
}

/** A transaction that the worker commits with the step's outcome; a step neither commits nor rolls back. */
export interface StepTx {
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<StepRows<Row>>
}

/** What a call of a step knows besides data. */
export interface StepCall {
  /** The same at every attempt, another for every step of every run: hand it on as an idempotency key. */
  readonly key: string
  /** 1, 2, … */
  readonly attempt: number
  /** Aborted when the lease is lost or the worker stops hard. */
  readonly signal: AbortSignal
  readonly log: StepLog
}

export type Empty = Record<never, never>

/** The argument of a step that takes `Input` and reads `Needs` from what the steps before it returned. */
export interface Step<Input = unknown, Needs extends object = Empty> extends StepCall {
  readonly input: Input
  readonly context: Readonly<Needs>
}

/** A step that also writes through `tx`: in lists with claim "transaction" or recover "resume". */
export interface TxStep<Input = unknown, Needs extends object = Empty> extends Step<Input, Needs> {
  readonly tx: StepTx
}

/** The argument of an `undo`: of a step that was done, in a run that has failed for good or was cancelled. */
export interface Undo<Result = unknown> extends StepCall {
  /** What the step returned. */
  readonly result: Result
  /** What the run was started with. */
  readonly input: unknown
  /** The `key` that the step was called with: what it did elsewhere can be found by it. */
  readonly stepKey: string
  /** Commits together with the record that the step is undone. */
  readonly tx: StepTx
}

/** Any function of one argument, or none. */
export type AnyStep = (argument: never) => unknown

/** A key that an element puts into the context. Sure: whenever the element has run, on every path through it. */
export interface Fact<Key = string, Value = unknown, Sure extends boolean = boolean> {
  readonly key: Key
  readonly value: Value
  readonly sure: Sure
}

/** `undefined` and a missing key are the same in JSON, so both are "not sure" here. */
export type FactsOf<Output> = {
  [Key in KnownKey<Output>]: Fact<Key, ValueOf<Output, Key>, false extends IsSure<Output, Key> ? false : true>
}[KnownKey<Output>]

/** What may not have happened gives nothing for sure. */
export type Unsure<Facts> = Facts extends Fact<infer Key, infer Value> ? Fact<Key, Value, false> : never

/** What is known after an element: a key it surely writes is no longer what it was. */
export type After<Before, Facts> = Exclude<Before, Fact<SureKey<Facts>>> | Facts

export type SureKey<Facts> = Facts extends Fact<infer Key, unknown, true> ? Key : never

/** The context as an object: what is sure is required. */
export type ContextOf<Facts> = {
  readonly [Each in Facts as KeyWhen<Each, SureKey<Facts>, true>]: ValueIn<Each>
} & {
  readonly [Each in Facts as KeyWhen<Each, SureKey<Facts>, false>]?: ValueIn<Each>
} extends infer Both
  ? { [Key in keyof Both]: Both[Key] }
  : never

export type FactAt<Facts, Key> = Extract<Facts, Fact<Key>>

type KeyWhen<Each, SureKeys, IsSureKey extends boolean> =
  Each extends Fact<infer Key extends string>
    ? (Key extends SureKeys ? true : false) extends IsSureKey
      ? Key
      : never
    : never
type ValueIn<Each> = Each extends Fact<unknown, infer Value> ? Value : never

// Each of these three goes through the branches of a union: every path on which a step returns is one.
type KnownKey<Output> = Output extends object ? keyof { [Key in keyof Output as LiteralKey<Key>]: true } : never
type ValueOf<Output, Key> = Output extends object
  ? Key extends keyof Output
    ? Exclude<Stored<Output[Key]>, undefined>
    : never
  : never
type IsSure<Output, Key> = Output extends object
  ? Key extends keyof Output
    ? IsSureProperty<Output, Key>
    : false
  : false

/** An index signature promises no key by name. */
type LiteralKey<Key> = Key extends string ? (string extends Key ? never : Key) : never

type IsSureProperty<Output, Key extends keyof Output> =
  Empty extends Pick<Output, Key>
    ? false
    : unknown extends Output[Key]
      ? true
      : undefined extends Stored<Output[Key]>
        ? false
        : true
