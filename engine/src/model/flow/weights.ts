// How the three priorities share the claims: whole numbers out of a hundred.
import { isObject } from "../../support/json.ts"
import { PRIORITIES, type Priority } from "../definitions/definition.ts"

export type Weights = Readonly<Record<Priority, number>>

export interface WeightFault {
  /** Undefined where each is fine and only their sum is wrong. */
  readonly priority?: Priority
  readonly message: string
}

/** All that is wrong with them; nothing for weights that can be used. */
export function faultsOfWeights(weights: Readonly<Record<string, unknown>>): WeightFault[] {
  const faults = PRIORITIES.filter((priority) => !isShare(weights[priority])).map((priority) => ({
    priority,
    message: "must be a whole number from 0 to 100",
  }))
  if (faults.length > 0) return faults
  const sum = PRIORITIES.reduce((total, priority) => total + (weights[priority] as number), 0)
  return sum === 100 ? [] : [{ message: `the weights must add up to 100, these make ${sum}` }]
}

/** Undefined unless they are what `faultsOfWeights` finds nothing wrong with: a row may have been written by hand. */
export function readWeights(value: unknown): Weights | undefined {
  if (!isObject(value)) return undefined
  const { critical, high, normal } = value as unknown as Weights
  return faultsOfWeights({ critical, high, normal }).length === 0 ? { critical, high, normal } : undefined
}

/** Names the weights in force: `config`, or those that an operator has set. */
export const weightsVersion = (set: Weights | undefined): string =>
  set ? `${set.critical}-${set.high}-${set.normal}` : "config"

/** What a version names; undefined is the configuration, null is no version. */
export function weightsOfVersion(version: string): Weights | undefined | null {
  if (version === "config") return undefined
  const [, critical, high, normal] = /^(\d{1,3})-(\d{1,3})-(\d{1,3})$/.exec(version) ?? []
  return readWeights({ critical: Number(critical), high: Number(high), normal: Number(normal) }) ?? null
}

const isShare = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 100

export const isPriority = (name: string): name is Priority => (PRIORITIES as readonly string[]).includes(name)
