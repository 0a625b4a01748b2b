// A request while it is made: parts that can still be harmed one by one.
import { definitionFor } from "../values/definitions.ts"
import { kindOf } from "../values/memory.ts"
import { type Maker, valueFor } from "../values/schema-values.ts"
import type { Parameter, RestOperation } from "./operations.ts"

export interface Draft {
  operation: RestOperation
  method: string
  /** Not yet encoded. */
  params: Record<string, string>
  query: [string, string][]
  headers: Record<string, string>
  body: unknown
  /** Instead of the path that the params make. */
  path?: string
  /** Instead of the body as JSON. */
  bytes?: Buffer
  /** Written to the socket by hand: no client of HTTP would send it. */
  raw?: boolean
}

/** A poll that waits holds its caller up: nearly all ask at once. */
const WAITS = 0.02

export function validDraft(maker: Maker, operation: RestOperation): Draft {
  const { dice } = maker
  const of = (place: Parameter["in"]) =>
    operation.parameters.filter((one) => one.in === place && (one.required || place === "path" || dice.chance(0.35)))
  const fill = ({ name, schema }: Parameter): [string, string] => [
    name,
    String(valueFor(maker, schema, { name, depth: 0 })),
  ]
  const body = bodyFor(maker, operation)
  return {
    operation,
    method: operation.method,
    params: Object.fromEntries(of("path").map(fill)),
    query: of("query").map(fill),
    headers: {
      ...Object.fromEntries(of("header").map(fill)),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body,
  }
}

function bodyFor(maker: Maker, { id, body: schema }: RestOperation): unknown {
  if (!schema) return undefined
  if (id === "uploadDefinition" && maker.dice.chance(0.9)) return definitionFor(maker.dice)
  const body = mended(id, valueFor(maker, schema), maker)
  return maker.dice.chance(WAITS) ? body : withoutWait(body)
}

/** Rules between fields, which a schema does not tell. */
function mended(id: string, body: unknown, { dice }: Maker): unknown {
  if (typeof body !== "object" || body === null) return body
  if (id === "setWeights")
    return dice.pick([
      { critical: 50, high: 30, normal: 20 },
      { critical: 1, high: 1, normal: 98 },
    ])
  if (id === "setWatermarks") return { normal: { high: dice.between(2, 5_000), low: 1 } }
  if (!/Schedule$/.test(id)) return body
  const { id: _, definitionId, jobType, ...rest } = body as Record<string, unknown>
  return {
    ...rest,
    ...(definitionId !== undefined && dice.chance(0.5) ? { definitionId } : { jobType: jobType ?? "mail" }),
  }
}

function withoutWait(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body
  const { poll } = body as { poll?: unknown }
  const inner = poll === undefined ? {} : { poll: withoutWait(poll) }
  return "waitSeconds" in body ? { ...body, ...inner, waitSeconds: 0 } : { ...body, ...inner }
}

export function pathOf({ path, operation, params }: Draft): string {
  return path ?? operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(params[name] ?? ""))
}

/** Also of halves of a surrogate pair, which the usual function throws at. */
export const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** The kinds by which an operation knows its object. */
export function kindsOf({ parameters, name }: RestOperation): readonly string[] {
  const inPath = parameters.flatMap((one) => (one.in === "path" ? kindOf(one.name) : []))
  return /^POST \/v1\/jobs\/.*(complete|fail|heartbeat|exchange)$/.test(name)
    ? [...inPath, "jobId", "leaseToken"]
    : inPath
}
