// The one door for JSON text: a linear scan refuses what would hurt later, then JSON.parse reads it where
// its value is wanted.
import { badRequest, EngineError } from "./errors.ts"
import type { JsonValue } from "./json.ts"
import { type JsonLimits, JsonScanner } from "./json-scanner.ts"
import { safeText } from "./redact.ts"

/** The largest sizes that any setting allows. The doors and the operations judge by the settings. */
export const jsonLimits: JsonLimits = { bodyBytes: 16_777_216, depth: 32, keys: 5_000, stringBytes: 4_194_304 }

/** For variables by themselves: in a request there is one level around them. */
export const variableLimits: JsonLimits = { ...jsonLimits, depth: jsonLimits.depth - 1 }

/** The value, or an EngineError `bad-request` (`payload-too-large`) that says what is wrong, where, and what to do. */
export function parseJson(text: string, limits: JsonLimits = jsonLimits): JsonValue {
  scan(text, limits)
  return parse(text)
}

/**
 * The text itself, where it is to be stored and not looked at: judged as `parseJson` judges, but for a plain text without the cost of
 * making a value and writing it again (2 kB: 8 instead of 21 µs). A text that is not plain is written anew.
 */
export const checkJson = (text: string, limits: JsonLimits = jsonLimits): string =>
  scan(text, limits).isPlain ? text : JSON.stringify(parse(text))

function scan(text: string, limits: JsonLimits): JsonScanner {
  if (text.length > limits.bodyBytes)
    throw new EngineError("payload-too-large", `the body is larger than ${limits.bodyBytes} bytes`)
  if (text.trim() === "") throw badRequest("the body is empty: send JSON, {} at the least")
  const scanner = new JsonScanner(text, limits)
  const fault = scanner.scan()
  if (!fault) return scanner
  const { path, position, message, hint, isTooLarge } = fault
  if (isTooLarge) throw new EngineError("payload-too-large", `${message} at ${path} (position ${position}): ${hint}`)
  throw badRequest(`${message} at ${path} (position ${position}): ${hint}`, [{ path, message, hint }])
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    throw syntaxError(text, error as Error)
  }
}

function syntaxError(text: string, { message }: Error): EngineError {
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN)
  const cut = position >= text.length || /end of JSON|Unterminated/.test(message)
  if (cut) return badRequest(`the body is not JSON: it ends too early, after ${text.length} characters; send all of it`)
  return badRequest(`the body is not JSON: ${safeText(message)}`)
}
