// How large the variables of an instance may become. Sizes are bytes of JSON text, as PostgreSQL writes it.
//
// An instance carries an upper bound of its size in its state, so that most writes are judged without reading the variables:
// a write adds its own size to the bound. The exact size is worked out only when the bound exceeds the limit.
import { EngineError } from "../../support/errors.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import { PlanAgain } from "./plan-again.ts"

export interface SizeLimits {
  /** The limit for one write: the variables of a start, a report, a signal, a user task or a transformation. */
  readonly maxWriteBytes: number
  /** The limit for all variables of an instance together. */
  readonly maxVariablesBytes: number
}

/** What a draft knows of the size of its variables. */
interface Measured {
  readonly definition: { readonly isList: boolean }
  readonly context: { readonly sizes: SizeLimits }
  readonly instance: { readonly hasVariables: boolean }
  readonly variables: JsonObject
  /** At least the size there is. Infinite where a version before this one has written the instance. */
  boundBytes: number
  exactBytes: number | undefined
}

/** Thrown by a planner when the exact size is needed and the variables were not read: the plan is made again with them. */
export class VariablesNeeded extends PlanAgain {}

const SMALL_OR_LARGE_NUMBER = /\de[+-]?\d/i
const TEXT_OR_EXPONENT = /"(?:[^"\\]|\\.)*"|\de([+-]?\d+)/gi

/** PostgreSQL writes numbers out: 5e-300 has 302 characters. */
export function textBytes(text: string): number {
  let bytes = Buffer.byteLength(text)
  if (!SMALL_OR_LARGE_NUMBER.test(text)) return bytes
  for (const [, exponent] of text.matchAll(TEXT_OR_EXPONENT))
    if (exponent !== undefined) bytes += Math.abs(Number(exponent))
  return bytes
}

export const bytesOf = (value: JsonValue): number => textBytes(JSON.stringify(value))

/** Why a set of variables is too large to be written, whatever the instance has already. */
export function writeFault(bytes: number, { maxWriteBytes }: SizeLimits): string | undefined {
  if (bytes <= maxWriteBytes) return undefined
  return `${bytes} bytes of JSON in one write, at most ${maxWriteBytes} are allowed (WE_MAX_WRITE_BYTES)`
}

/** Why the instance cannot take these variables. One that is above the limit already may still be made smaller. */
export function growthFault(draft: Measured, delta: JsonObject): string | undefined {
  const { maxVariablesBytes } = draft.context.sizes
  if (boundAfter(draft, delta) <= maxVariablesBytes) return undefined
  const before = exactBytes(draft)
  const after = exactAfter(draft, delta)
  if (after <= maxVariablesBytes || after <= before) return undefined
  return `the instance would have ${after} bytes of variables, at most ${maxVariablesBytes} are allowed (WE_MAX_VARIABLES_BYTES)`
}

/** Both limits. What a step list has gathered was written set by set: only the whole is judged. */
export function sizeFault(draft: Measured, delta: JsonObject): string | undefined {
  const fault = draft.definition.isList ? undefined : writeFault(bytesOf(delta), draft.context.sizes)
  return fault ?? growthFault(draft, delta)
}

/** A signal to a run is kept until the run takes it, and is on record afterwards. The sizes of all signals count. */
export function refuseTooMuchTold(draft: Measured & { readonly toldBytes: number }, payload: JsonObject): void {
  const { maxVariablesBytes } = draft.context.sizes
  const bytes = draft.toldBytes + bytesOf(payload)
  if (bytes > maxVariablesBytes)
    throw tooLarge(
      `the run would have ${bytes} bytes of signals, at most ${maxVariablesBytes} are allowed (WE_MAX_VARIABLES_BYTES)`,
    )
}

/** For what a caller asks: nothing of the draft has been touched yet. */
export function refuseTooLarge(draft: Measured, delta: JsonObject): void {
  const fault = sizeFault(draft, delta)
  if (fault !== undefined) throw tooLarge(fault)
}

export const tooLarge = (fault: string): EngineError => new EngineError("payload-too-large", fault)

/** Notes that the variables are written; before they are merged. */
export function noteWritten(draft: Measured, delta: JsonObject): void {
  draft.exactBytes = draft.exactBytes === undefined ? undefined : exactAfter(draft, delta)
  draft.boundBytes = draft.exactBytes ?? boundAfter(draft, delta)
}

const boundAfter = ({ boundBytes }: Measured, delta: JsonObject): number => boundBytes + bytesOf(delta)

function exactBytes(draft: Measured): number {
  if (!draft.instance.hasVariables) throw new VariablesNeeded()
  draft.exactBytes ??= bytesOf(draft.variables)
  return draft.exactBytes
}

function exactAfter(draft: Measured, delta: JsonObject): number {
  let bytes = exactBytes(draft)
  for (const [name, value] of Object.entries(delta)) {
    const old = Object.getOwnPropertyDescriptor(draft.variables, name)?.value as JsonValue | undefined
    bytes += entryBytes(name, value) - (old === undefined ? 0 : entryBytes(name, old))
  }
  return bytes
}

/** The size of an entry of an object, with its colon and its comma. */
export const entryBytes = (name: string, value: JsonValue): number => bytesOf(name) + bytesOf(value) + 2
