// What is left of a value when it has been stored as JSON: later steps read this, whether the worker has changed in between or not.
import type { JsonValue } from "../../support/json.ts"

/** A Date is a text afterwards; what JSON has no form for is gone. Names of plain types are kept. */
export type Stored<Value> = unknown extends Value
  ? Value
  : Value extends JsonValue | undefined | void
    ? Value
    : Value extends { toJSON(key?: string): infer Plain }
      ? Stored<Plain>
      : Value extends Formless
        ? undefined
        : Value extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
          ? Record<never, never>
          : { [Key in keyof Value]: Stored<Value[Key]> }

type Formless = bigint | symbol | ((...given: never) => unknown)
