// Watermarks as they are typed: what is wrong with them, and which gates have others than before.
import { GATES, type GateName, type Watermark } from "../../api/watermarks.ts"

export interface TypedMark {
  readonly high: string
  readonly low: string
}

export type TypedMarks = Readonly<Record<GateName, TypedMark>>
type Marks = Readonly<Record<GateName, Watermark>>

const MOST = 1_000_000_000

export const typedOf = (marks: Marks): TypedMarks =>
  Object.fromEntries(
    GATES.map((name) => [name, { high: String(marks[name].high), low: String(marks[name].low) }]),
  ) as TypedMarks

export interface MarkFaults {
  readonly high?: string
  readonly low?: string
}

export function faultsOf({ high, low }: TypedMark): MarkFaults {
  const faults = { high: faultOfNumber(high, 2), low: faultOfNumber(low, 1) }
  if (faults.high || faults.low) return faults
  return Number(low) < Number(high) ? {} : { low: "must be below the high mark" }
}

function faultOfNumber(text: string, least: number): string | undefined {
  if (!/^\d+$/.test(text.trim())) return "a whole number, please"
  const value = Number(text)
  if (value < least) return `at least ${least}`
  return value > MOST ? "at most a billion" : undefined
}

/** Gates that are not named keep what they have. */
export const newMarks = (typed: TypedMarks, inForce: Marks): Partial<Record<GateName, Watermark>> =>
  Object.fromEntries(
    GATES.map((name) => [name, { high: Number(typed[name].high), low: Number(typed[name].low) }] as const).filter(
      ([name, { high, low }]) => high !== inForce[name].high || low !== inForce[name].low,
    ),
  )
