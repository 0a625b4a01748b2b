// The contract of the engine as it serves it. These are the words of OpenAPI, as far as they are shown, not those of the engine.
import type { wire } from "@millrace/sdk"
import { get } from "./http.ts"

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

interface Ref {
  readonly $ref?: string
}

export interface Parameter extends Ref {
  readonly name: string
  readonly in: "path" | "query" | "header" | "cookie"
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
  readonly example?: unknown
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>
}

export interface Body extends Ref, Content {
  readonly required?: boolean
}

export interface Response extends Ref, Content {
  readonly description?: string
}

export interface RawOperation {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses?: Readonly<Record<string, Response>>
  /** What a key must be allowed to do. */
  readonly "x-permission"?: string
}

export interface Contract extends wire.ContractDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The contract changes only with the version of the engine. */
export const contractQuery = () => ({
  queryKey: ["contract"],
  queryFn: () => get<"getOpenApi">("/openapi.json") as Promise<Contract>,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: false as const,
})
