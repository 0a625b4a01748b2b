// The rules of outcome: what a handler returned or threw, as the report the engine gets.
import { jsonText } from "../calls/json-text.ts"
import { describe, isA, peek, wordsOf } from "../calls/thrown.ts"
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
      readonly bytes: number
    }

/** Longer messages help nobody, and a report has to fit into a request. */
const MAX_MESSAGE = 4_000

/** Returned variables must be a JSON object; anything else would fail in the same way on every attempt. */
export function outcomeOfReturn(returned: unknown): Outcome {
  if (returned === undefined || returned === null) return { kind: "completed", bytes: 0 }
  if (typeof returned !== "object" || Array.isArray(returned))
    return failed(`the handler returned ${describe(returned)}, not an object of variables`, false)
  try {
    const text = jsonText(returned)
    // By toJSON an object may say that it is something else: a Date is a text.
    if (!text.startsWith("{")) return failed("the handler returned no object of variables, by its toJSON", false)
    return { kind: "completed", variables: returned, bytes: Buffer.byteLength(text) }
  } catch (error) {
    return failed(`the handler returned variables that are not JSON: ${messageOf(error)}`, false)
  }
}

export function outcomeOfError(error: unknown): Outcome {
  const pushback = peek(() => pushbackOf(error))
  if (isA(error, NonRetryableError)) return failed(messageOf(error), false, pushback)
  const retryAfter = isA(error, RetryLaterError) ? peek(() => error.afterSeconds) : undefined
  if (retryAfter !== undefined) return failed(messageOf(error), true, { ...pushback, retryAfter })
  return failed(messageOf(error), true, pushback)
}

export const noHandler = (jobType: string): Outcome => failed(`no handler registered for ${jobType}`, false)

/** The engine will not take these variables, now or later. */
export const refusedByEngine = (message: string): Outcome => failed(`the engine refused the result: ${message}`, false)

/** No wire can carry these variables, now or later. */
export const unsendable = (error: unknown): Outcome =>
  failed(`the handler returned variables that cannot be sent: ${messageOf(error)}`, false)

function failed(message: string, retryable: boolean, pushback: Partial<Pushback> = {}): Outcome {
  const errorMessage = clean(message)
  return { kind: "failed", retryable, errorMessage, bytes: Buffer.byteLength(errorMessage), ...pushback }
}

const messageOf = (error: unknown): string => wordsOf(error) ?? `the handler threw ${describe(error)}`

/** NUL and lone surrogates cannot be stored, and a failure that is refused for its text would be lost. */
function clean(message: string): string {
  return Buffer.from(message.slice(0, MAX_MESSAGE)).toString("utf8").replaceAll("\u0000", "\ufffd")
}
