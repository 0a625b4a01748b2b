// The parts of OpenAPI 3.1 that the contract uses, as far as types are made from them.

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly (string | number)[]
  readonly const?: string | number | boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly discriminator?: { readonly propertyName: string }
}

export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly description?: string
  readonly required?: boolean
  readonly schema: Schema
}

export interface Body {
  readonly $ref?: string
  readonly required?: boolean
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

type Path = { readonly parameters?: readonly Parameter[] } & Readonly<Record<string, Operation>>

export interface Contract {
  readonly paths: Readonly<Record<string, Path>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, Body>>
  }
}

/** `Instance` of `#/components/schemas/Instance`. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1)

const METHODS = ["get", "post", "put", "patch", "delete"] as const

export interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  readonly parameters: readonly Parameter[]
}

/** Every operation of the contract, with the parameters of its path among its own. */
export function routesOf(contract: Contract): Route[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({
      method: method.toUpperCase(),
      path,
      operation: item[method]!,
      parameters: [...(item.parameters ?? []), ...(item[method]!.parameters ?? [])].map((parameter) =>
        parameter.$ref === undefined ? parameter : contract.components.parameters[nameOf(parameter.$ref)]!,
      ),
    })),
  )
}
