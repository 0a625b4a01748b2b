// Which fields a request may have by the contract, a request that has them all, and which of them a reader looks at.

type Json = Readonly<Record<string, unknown>>
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

/** The names of the fields by where their object stands: `$`, `$.filter`, `$.jobs[]`. */
export type FieldNames = Map<string, Set<string>>

export class RequestSchemas {
  readonly #schemas: Readonly<Record<string, Schema>>

  constructor(document: { readonly components: { readonly schemas: Readonly<Record<string, Json>> } }) {
    this.#schemas = document.components.schemas
  }

  /** Objects that may hold anything are not among them. */
  fieldsOf(schema: Schema, at = "$", found: FieldNames = new Map()): FieldNames {
    const { properties = {}, items, oneOf = [] } = this.#resolved(schema)
    for (const [name, inner] of Object.entries(properties)) {
      note(found, at, name)
      this.fieldsOf(inner, `${at}.${name}`, found)
    }
    if (items) this.fieldsOf(items, `${at}[]`, found)
    for (const one of oneOf) this.fieldsOf(one, at, found)
    return found
  }

  /** Values that have every field: as many as it takes to show each form of a field that has several. */
  samplesOf(schema: Schema): readonly unknown[] {
    const forms = Math.max(1, this.#mostForms(schema))
    return Array.from({ length: forms }, (_, form) => this.#sample(schema, form))
  }

  #mostForms(schema: Schema): number {
    const { properties = {}, items, oneOf = [] } = this.#resolved(schema)
    const inner = [...Object.values(properties), ...(items ? [items] : []), ...oneOf]
    return Math.max(oneOf.length, ...inner.map((one) => this.#mostForms(one)))
  }

  #sample(schema: Schema, form: number): unknown {
    const { properties, items, oneOf, type, ...rest } = this.#resolved(schema)
    if (oneOf) return this.#sample(oneOf[form % oneOf.length]!, form)
    if (properties) return mapValues(properties, (inner) => this.#sample(inner, form))
    if (items) return [this.#sample(items, form)]
    const known = rest.const ?? rest.enum?.[0] ?? rest.default
    return (
      known ?? { object: {}, boolean: true, integer: rest.minimum ?? 1, number: rest.minimum ?? 1 }[String(type)] ?? "x"
    )
  }

  /** Without the reference, and with what it is composed of in one. */
  #resolved(schema: Schema): Schema {
    if (schema.$ref !== undefined) return this.#resolved(this.#schemas[schema.$ref.split("/").at(-1)!]!)
    if (!schema.allOf) return schema
    const parts = schema.allOf.map((part) => this.#resolved(part))
    return { type: "object", properties: Object.assign({}, ...parts.map(({ properties }) => properties)) }
  }
}

/** A value that notes by which names it is looked into. */
export function watched<T>(value: T, reads: FieldNames, at = "$"): T {
  if (Array.isArray(value)) return value.map((item) => watched(item, reads, `${at}[]`)) as T
  if (typeof value !== "object" || value === null) return value
  return new Proxy(value, {
    get: (target, name) => watched(Reflect.get(target, note(reads, at, name)), reads, `${at}.${String(name)}`),
    getOwnPropertyDescriptor: (target, name) => Reflect.getOwnPropertyDescriptor(target, note(reads, at, name)),
  })
}

function note(names: FieldNames, at: string, name: string | symbol): string | symbol {
  if (typeof name === "string") names.set(at, (names.get(at) ?? new Set()).add(name))
  return name
}

const mapValues = <V, R>(object: Readonly<Record<string, V>>, turn: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, turn(value)]))
