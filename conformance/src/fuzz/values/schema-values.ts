// Values that fit a schema of the contract; names that were learned from answers are used again.
import type { Dice } from "./dice.ts"
import { type Belonging, kindOf, type Memory } from "./memory.ts"
import { oddText } from "./odd-values.ts"

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly examples?: readonly unknown[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly pattern?: string
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly description?: string
}

export interface Maker {
  readonly dice: Dice
  readonly memory: Memory
  readonly schemas: Readonly<Record<string, Schema>>
  /** What the request is about: recalled before anything else. */
  readonly about: Belonging
}

const DEEPEST = 6
/** The probability that a known name gets a value that was learned. */
const RECALLED = 0.75

/** Required by the routes, and not by the schema: they have another name, or may stand elsewhere. */
const NEEDED = new Set(["workerId", "leaseToken", "jobId", "user_agent", "type"])

/** What a schema cannot say: texts that mean something. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  workerId: ["w1", "w1", "w1", "w2"],
  priority: ["critical", "high", "normal"],
  execution: ["graph", "steplist"],
  recover: ["resume", "restart"],
  status: ["ACTIVE", "COMPLETED"],
  cron: ["* * * * *", "0 3 * * *", "@daily", "*/5 * * * 1-5", "0 0 29 2 *", "61 * * * *"],
  timezone: ["UTC", "Europe/Berlin", "America/New_York", "Mars/Base"],
  username: ["ada", "grace", "fz-user"],
  email: ["ada@example.com", "grace@example.org"],
  password: ["plum otter lantern gravel", "another long phrase of words", "short"],
  ip: ["192.0.2.7", "198.51.100.20", "2001:db8::1", "2001:db8:1:2::/64"],
  client: ["ip:192.0.2.7", "key:0f3a9c1d2e4b5a67", "user:ada"],
  name: ["normal", "critical", "mail", "psp"],
  kind: ["jobType", "queue", "definition", "downstream"],
  type: ["mail", "pay", "order.paid"],
  jobType: ["mail", "pay"],
  scopes: ["jobs:work", "instances:read", "admin", "jobs:work:mail"],
  url: ["https://example.com/hook"],
  olderThan: ["PT1M", "P1D"],
  version: ["1", "2"],
}

/** Texts that fit the patterns of the contract. */
const WORDS = [
  "a",
  "w1",
  "order-7",
  "k_2",
  "x:y",
  "mail",
  "order.paid",
  "PT1S",
  "PT5M",
  "P1D",
  "P2DT3H",
  "PT0.5S",
  "INSTANCE_STARTED",
]
const MORE_WORDS = ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "bad-request", "a b", "Grüße"]

/** Where in a value something stands: under which name, and how deep. */
interface Place {
  readonly name: string
  readonly depth: number
}

const TOP: Place = { name: "", depth: 0 }
const under = ({ depth }: Place, name: string): Place => ({ name, depth: depth + 1 })

export function valueFor(maker: Maker, schema: Schema, place = TOP): unknown {
  const { dice } = maker
  const { name } = place
  const draws = [dice.next(), dice.next()] as const
  if (schema.$ref) return valueFor(maker, named(maker, schema.$ref), place)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return dice.pick(schema.enum)
  const choices = schema.oneOf ?? schema.anyOf
  if (choices && !schema.properties) return valueFor(maker, dice.pick(choices), place)
  if (schema.allOf) return merged(maker, schema, place)
  const type = typeOf(schema, dice)
  if (type === "string")
    return (draws[0] < RECALLED && recalled(maker, kindOf(name), draws[1])) || text(maker, schema, name)
  if (type === "integer" || type === "number") return number(dice, schema, type)
  if (type === "boolean") return dice.chance(0.5)
  if (type === "array") return list(maker, schema, place)
  if (type === "null") return null
  return object(maker, schema, place)
}

/** Workers have few names: a report comes from the worker that polled. */
const NOT_RECALLED = new Set([
  "workerId",
  "cron",
  "timezone",
  "password",
  "priority",
  "cursor",
  "olderThan",
  "retain",
  "deadline",
])
const CURSOR = "cursor"

function recalled({ memory, about }: Maker, kind: string, draw: number): string | undefined {
  if (kind === CURSOR && draw < 0.3) return memory.recall(kind, draw / 0.3)
  return NOT_RECALLED.has(kind) ? undefined : (about[kind] ?? memory.recall(kind, draw))
}

const named = ({ schemas }: Maker, reference: string): Schema => schemas[reference.split("/").at(-1)!] ?? {}

function typeOf({ type, properties, items }: Schema, dice: Dice): string {
  if (typeof type === "string") return type
  if (type) return dice.pick(type)
  if (properties) return "object"
  return items ? "array" : dice.pick(["string", "integer", "boolean", "object", "null"])
}

function merged(maker: Maker, schema: Schema, place: Place): unknown {
  const parts = (schema.allOf ?? []).map((part) => valueFor(maker, part, place))
  const own = schema.properties ? [object(maker, schema, place)] : []
  return Object.assign({}, ...parts.filter((part) => typeof part === "object"), ...own)
}

function text({ dice }: Maker, schema: Schema, name: string): string {
  const meant = MEANT[kindOf(name)]
  if (meant && dice.chance(0.8)) return dice.pick(meant)
  if (schema.examples && dice.chance(0.3)) return String(dice.pick(schema.examples))
  if (schema.format === "date-time") return new Date(dice.between(0, 2_000_000_000) * 1_000).toISOString()
  const { pattern, minLength = 0, maxLength = 1_000 } = schema
  const fits = (one: string) =>
    one.length >= minLength && one.length <= maxLength && (!pattern || new RegExp(pattern, "u").test(one))
  const fresh = [`fz-${dice.between(0, 9)}`, `n${dice.between(0, 1_000_000)}`, "y".repeat(Math.min(maxLength, 300))]
  const fitting = [...fresh, ...WORDS, ...MORE_WORDS].filter(fits)
  return fitting.length > 0 ? dice.pick(fitting) : oddText(dice)
}

function number(dice: Dice, schema: Schema, type: string): number {
  const { exclusiveMinimum } = schema
  const least = schema.minimum ?? (exclusiveMinimum === undefined ? 0 : exclusiveMinimum + 1)
  const most = schema.maximum ?? least + 1_000
  if (dice.chance(0.2)) return dice.pick([least, most])
  const value = dice.between(least, Math.min(most, least + dice.pick([3, 20, 1_000])))
  return type === "number" && dice.chance(0.3) ? Math.min(most, value + 0.5) : value
}

function list(maker: Maker, { items = {}, minItems = 0, maxItems = 1_000 }: Schema, place: Place): unknown[] {
  const { dice } = maker
  const most = place.depth > DEEPEST ? minItems : Math.min(maxItems, minItems + dice.pick([0, 1, 1, 2, 5]))
  return Array.from({ length: Math.max(minItems, most) }, () => valueFor(maker, items, under(place, place.name)))
}

function object(maker: Maker, schema: Schema, place: Place): Record<string, unknown> {
  const { dice } = maker
  const { properties = {}, required = [], additionalProperties } = schema
  const share = place.depth > DEEPEST ? 0 : dice.pick([0, 0.2, 0.6, 1])
  const chosen = Object.entries(properties).filter(
    ([key, { description = "" }]) =>
      required.includes(key) || NEEDED.has(key) || dice.chance(/^Another name/.test(description) ? 0.02 : share),
  )
  const made = Object.fromEntries(chosen.map(([key, inner]) => [key, valueFor(maker, inner, under(place, key))]))
  if (additionalProperties === false || Object.keys(properties).length > 0) return made
  const inner = typeof additionalProperties === "object" ? additionalProperties : {}
  for (let more = place.depth > DEEPEST ? 0 : dice.between(0, 2); more > 0; more--)
    made[dice.pick(["a", "amount", "v0", "v1", "v2", "approved"])] = valueFor(maker, inner, under(place, ""))
  return made
}
