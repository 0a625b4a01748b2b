// A system that work calls on, and what it can take: written down once, named by everything that goes there.
import { isRoutingName, ROUTING_NAME_HINT } from "../../model/jobs/routing-name.ts"
import { badRequest } from "../../support/errors.ts"
import { isObject } from "../../support/json.ts"
import { checkKnown } from "./check-authoring.ts"
import { present } from "./present.ts"

export interface DownstreamLimits {
  /** Calls that are begun in a second, over all processes. */
  readonly perSecond?: number
  /** Calls under way at a time, over all processes. */
  readonly concurrency?: number
  /** Goes slower when it pushes back (429, 503, Retry-After, a timeout), and step by step faster again. */
  readonly adaptive?: boolean
}

export interface Downstream extends DownstreamLimits {
  readonly kind: "downstream"
  readonly name: string
}

/** `downstream("stripe", { perSecond: 25 })`: no limit that is not given. Workers declare it to the engine when they begin. */
export function downstream(name: string, limits: DownstreamLimits = {}): Downstream {
  if (!isRoutingName(name)) throw badRequest(`${JSON.stringify(name)} cannot name a downstream: ${ROUTING_NAME_HINT}`)
  checkKnown(`downstream ${name}`, limits, ["perSecond", "concurrency", "adaptive"])
  const { perSecond, concurrency, adaptive } = limits
  if (perSecond !== undefined && !(perSecond > 0 && Number.isFinite(perSecond)))
    throw badRequest(`downstream ${name}: \`perSecond\` must be a number above 0, not ${perSecond}`)
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0))
    throw badRequest(`downstream ${name}: \`concurrency\` must be a whole number from 1, not ${concurrency}`)
  if (adaptive !== undefined && typeof adaptive !== "boolean")
    throw badRequest(`downstream ${name}: \`adaptive\` must be true or false`)
  return Object.freeze({ kind: "downstream", name, ...present({ perSecond, concurrency, adaptive }) })
}

/** By name, or as it was declared. */
export function downstreamName(value: Downstream | string | undefined): string | undefined {
  if (value === undefined) return undefined
  const name: unknown = isObject(value) ? value.name : value
  if (isRoutingName(name)) return name
  throw badRequest(`${JSON.stringify(name)} cannot name a downstream: ${ROUTING_NAME_HINT}`)
}
