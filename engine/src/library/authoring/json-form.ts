// The JSON Schema of what a validator takes in, where the validator can say it: by Standard JSON Schema (zod, arktype, valibot with its
// own addition). It must refuse nothing that the validator takes; what it lets through the validator judges anyway.
import { checkJson } from "../../model/definitions/check-json.ts"
import { isObject, type JsonObject } from "../../support/json.ts"
import { peek } from "../../support/thrown.ts"
import type { StandardSchemaV1 } from "./standard-schema.ts"

/** In a definition it stands below other levels, and a definition has an end of levels and of size. */
const LEVELS_ABOVE = 6
const LONGEST = 32_768

export function jsonForm(schema: StandardSchemaV1 | undefined): JsonObject | undefined {
  const form = peek(() => schema && formOf(schema))
  if (!isObject(form)) return undefined
  const text = peek(() => JSON.stringify(form)) ?? ""
  if (text === "" || text.length > LONGEST) return undefined
  const plain = JSON.parse(text) as JsonObject
  return isStorable(plain) ? plain : undefined
}

interface Described {
  readonly vendor: string
  readonly jsonSchema?: { readonly input?: (options: object) => unknown }
}

function formOf(schema: StandardSchemaV1): unknown {
  const { vendor, jsonSchema } = schema["~standard"] as Described
  const target = "draft-2020-12"
  return jsonSchema?.input?.({ target, ...(vendor === "zod" ? { libraryOptions: ZOD } : {}) })
}

interface ZodNode {
  readonly zodSchema: { readonly _zod: { readonly def: ZodDef } }
  readonly jsonSchema: Record<string, unknown>
}
interface ZodDef {
  readonly type?: string
  readonly coerce?: boolean
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check?: string } } }[]
}

/** zod describes what it makes of a value, where it takes more than that: such parts say nothing. */
const ZOD = {
  unrepresentable: "any",
  override({ zodSchema, jsonSchema }: ZodNode): void {
    const { type, coerce, checks = [] } = zodSchema._zod.def
    const isChanged = checks.some(({ _zod }) => _zod.def.check === "overwrite")
    if (coerce || isChanged || type === "catch")
      for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword]
  },
}

function isStorable(form: JsonObject): boolean {
  const faults: string[] = []
  checkJson(form, "$", (path) => void faults.push(path), LEVELS_ABOVE)
  return faults.length === 0
}
