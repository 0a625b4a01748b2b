// The JSON forms of the validators of a workflow that is written in code. They travel in `metadata.schemas` of its definition, so that
// every door can refuse what the run could not use.
import type { Violation } from "../../../support/errors.ts"
import { isObject, type JsonObject } from "../../../support/json.ts"
import type { CompiledDefinition } from "../compile-definition.ts"
import { checkVariables } from "../variable-schema.ts"
import { checkJsonSchema } from "./json-schema.ts"

/** A signal may be waited for at several places: what it brings must fit one of them. */
export interface ToldSchemas extends JsonObject {
  readonly input?: JsonObject
  /** By the name of the signal or of the user task. */
  readonly waits?: Readonly<Record<string, readonly JsonObject[]>>
}

type Judges = Pick<CompiledDefinition, "definition" | "isList">

export function inputViolations(judges: Judges, variables: JsonObject): readonly Violation[] {
  const { inputSchema } = judges.definition
  const own = inputSchema ? checkVariables(inputSchema, variables, "$.variables") : []
  const { input } = schemasOf(judges)
  return input === undefined ? own : [...own, ...checkJsonSchema(input, variables, "$.variables")]
}

/** What came for a wait, and where it stands in the request. */
export interface Told {
  readonly name: string
  readonly payload: JsonObject
  readonly path: string
  /** True for a signal, absent for the result of a user task. */
  readonly isSignal?: boolean
}

export function waitViolations(judges: Judges, { name, payload, path }: Told): readonly Violation[] {
  const { waits } = schemasOf(judges)
  const forms: unknown = isObject(waits) && Object.hasOwn(waits, name) ? waits[name] : undefined
  if (!Array.isArray(forms) || forms.length === 0) return []
  const found = forms.map((form) => checkJsonSchema(form, payload, path))
  return found.reduce((best, one) => (one.length < best.length ? one : best))
}

/** The signals that a list waits for somewhere; undefined where only its worker knows them. */
export function knownSignals({ definition: { metadata }, isList }: Judges): readonly string[] | undefined {
  if (!isList || metadata?.form !== "list") return undefined
  const elements = Array.isArray(metadata.elements) ? metadata.elements.filter(isObject) : []
  return elements.flatMap(({ kind, signal }) => (kind === "signal" && typeof signal === "string" ? [signal] : []))
}

/** What stands in the metadata of a graph is its owner's. */
function schemasOf({ definition, isList }: Judges): { readonly input?: unknown; readonly waits?: unknown } {
  const schemas = isList ? definition.metadata?.schemas : undefined
  return isObject(schemas) ? schemas : {}
}
