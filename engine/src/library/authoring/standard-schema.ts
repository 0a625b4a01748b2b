// The Standard Schema interface (standardschema.dev, version 1), by which zod, valibot, arktype and others check a value alike.
import { child } from "../../model/definitions/json-path.ts"
import { badRequest, type Violation } from "../../support/errors.ts"

export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    /** Never there at run time: it carries the two types. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What a caller may hand in. */
export type InferInput<Schema extends StandardSchemaV1> = NonNullable<Schema["~standard"]["types"]>["input"]
/** What it is after the check: defaults filled in, texts turned into what they stand for. */
export type InferOutput<Schema extends StandardSchemaV1> = NonNullable<Schema["~standard"]["types"]>["output"]

export type OptionalSchema = StandardSchemaV1 | undefined
/** The type of a value after the check, if there is a schema. */
export type Checked<Schema, Otherwise = unknown> = Schema extends StandardSchemaV1 ? InferOutput<Schema> : Otherwise

/** The type of a value as a sender passes it, if there is a schema. */
export type TakenBy<Schema> = Schema extends StandardSchemaV1 ? InferInput<Schema> : unknown

/** The value as the schema gives it back, or an error that lists every issue with its path. */
export async function validate<Schema extends StandardSchemaV1>(
  schema: Schema,
  value: unknown,
  name = "input",
): Promise<InferOutput<Schema>> {
  const judged = await judge(schema, value)
  if ("value" in judged) return judged.value
  const { violations } = judged
  throw badRequest(`the ${name} does not fit its schema: ${listViolations(violations)}`, violations)
}

type Judgement<Schema extends StandardSchemaV1> =
  | { readonly value: InferOutput<Schema> }
  | { readonly violations: readonly Violation[] }

/** The same, where what does not fit is no error. */
export async function judge<Schema extends StandardSchemaV1>(
  schema: Schema,
  value: unknown,
): Promise<Judgement<Schema>> {
  const result = await schema["~standard"].validate(value)
  return result.issues === undefined ? { value: result.value } : { violations: result.issues.map(violationOf) }
}

export const listViolations = (violations: readonly Violation[]): string =>
  violations.map(({ path, message }) => `${path}: ${message}`).join("; ")

export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  // A validator may be a function: arktype's are.
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false
  const standard: unknown = Reflect.get(value, "~standard")
  return typeof standard === "object" && standard !== null && "validate" in standard
}

function violationOf({ message, path = [] }: SchemaIssue): Violation {
  const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment))
  return { path: keys.reduce(below, "$"), message }
}

const below = (path: string, key: PropertyKey): string => child(path, typeof key === "symbol" ? String(key) : key)
