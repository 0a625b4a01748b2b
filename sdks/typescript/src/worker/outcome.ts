// The rules of outcome: what a handler returned or threw, as the report the engine gets.
import { jsonText } from "../calls/json-text.ts"
import { describe, isA, peek, stackOf, wordsOf } from "../calls/thrown.ts"
import { NonRetryableError, RetryLaterError } from "./handler-errors.ts"
import { type Pushback, pushbackOf } from "./pushback.ts"

export type Outcome =
  | { readonly kind: "completed"; readonly variables?: object; readonly bytes: number }
  | {
      readonly kind: "failed"
      readonly retryable: boolean
      readonly errorMessage: string
      readonly retryAfter?: number
      /** The system that was called pushed back, with this HTTP status. */
      readonly downstreamStatus?: number
      /** Where the error was thrown. */
      readonly stack?: string
      readonly bytes: number
    }

/** Longer messages do not help, and a report has to fit into a request. */
const MAX_MESSAGE = 4_000
/** No engine takes a larger request, whatever its settings. */
const MAX_RESULT = 16_777_216
/** The engine keeps no more of a stack; its beginning says most. */
const MAX_STACK = 8_000

/** Returned variables must be a JSON object; anything else would fail in the same way on every attempt. */
export function outcomeOfReturn(returned: unknown): Outcome {
  if (returned === undefined || returned === null) return { kind: "completed", bytes: 0 }
  if (typeof returned !== "object" || Array.isArray(returned))
    return failed(`the handler returned ${describe(returned)}, not an object of variables`, false)
  try {
    const text = jsonText(returned)
    // By toJSON an object may say that it is something else: a Date is a text.
    if (!text.startsWith("{")) return failed("the handler returned no object of variables, by its toJSON", false)
    // The JSON of a promise is {}: what it would have brought would be lost without a word.
    const unawaited = text.includes("{}") ? promiseIn(returned) : undefined
    if (unawaited !== undefined) return failed(`the handler returned a promise as ${unawaited}: await it`, false)
    const bytes = Buffer.byteLength(text)
    if (bytes > MAX_RESULT) return failed(tooLarge(bytes), false)
    return { kind: "completed", variables: returned, bytes }
  } catch (error) {
    return failed(`the handler returned variables that are not JSON: ${messageOf(error)}`, false)
  }
}

export function outcomeOfError(error: unknown): Outcome {
  const stack = stackOf(error)
  const told = { ...peek(() => pushbackOf(error)), ...(stack === undefined ? {} : { stack: clean(stack, MAX_STACK) }) }
  if (isA(error, NonRetryableError)) return failed(messageOf(error), false, told)
  const retryAfter = isA(error, RetryLaterError) ? peek(() => error.afterSeconds) : undefined
  if (retryAfter !== undefined) return failed(messageOf(error), true, { ...told, retryAfter })
  return failed(messageOf(error), true, told)
}

export const noHandler = (jobType: string): Outcome => failed(`no handler registered for ${jobType}`, false)

/** The engine will not take these variables, now or later. */
export const refusedByEngine = (message: string): Outcome => failed(`the engine refused the result: ${message}`, false)

/** No wire can carry these variables, now or later. */
export const unsendable = (error: unknown): Outcome =>
  failed(`the handler returned variables that cannot be sent: ${messageOf(error)}`, false)

/** Deeper ones are not looked for. */
const promiseIn = (variables: object): string | undefined =>
  Object.entries(variables).find(([, value]) => typeof Object(value).then === "function" && !Object(value).toJSON)?.[0]

const tooLarge = (bytes: number) =>
  `the handler returned ${bytes} bytes of variables: return a reference to what is large`

interface Told extends Partial<Pushback> {
  readonly stack?: string
}

function failed(message: string, retryable: boolean, told: Told = {}): Outcome {
  const errorMessage = clean(message, MAX_MESSAGE)
  const bytes = Buffer.byteLength(errorMessage) + Buffer.byteLength(told.stack ?? "")
  return { kind: "failed", retryable, errorMessage, bytes, ...told }
}

const messageOf = (error: unknown): string => wordsOf(error) ?? `the handler threw ${describe(error)}`

/** NUL and lone surrogates cannot be stored, and a failure that is refused for its text would be lost. */
function clean(text: string, max: number): string {
  return Buffer.from(text.slice(0, max)).toString("utf8").replaceAll("\u0000", "\ufffd")
}
