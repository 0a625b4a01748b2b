// Where the runner says what went wrong. The shape is pino's, so that a pino logger can be passed as it is.
import { describe, isA, peek, wordsOf } from "./thrown.ts"

type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** The part of pino's shape that the SDK uses; any logger with these four methods does. */
export interface Logger {
  readonly debug: LogLine
  readonly info: LogLine
  readonly warn: LogLine
  readonly error: LogLine
}

const quiet: LogLine = () => {}
const line =
  (level: string): LogLine =>
  (fields, message) =>
    console.error(JSON.stringify({ level, time: new Date().toISOString(), msg: message, ...fields }))

/** Warnings and errors as JSON lines on stderr, nothing else. */
export const defaultLogger: Logger = { debug: quiet, info: quiet, warn: line("warn"), error: line("error") }

/** The same logger, whose own failures are dropped: a line that cannot be written must not harm a job. */
export function safeLogger(logger: Logger): Logger {
  const safely =
    (level: keyof Logger): LogLine =>
    async (fields, message) => {
      try {
        // Some return a promise, which may be rejected.
        await logger[level](fields, message)
      } catch {}
    }
  return { debug: safely("debug"), info: safely("info"), warn: safely("warn"), error: safely("error") }
}

const NAMES = ["code", "status", "kind", "requestId"] as const

/** The fields by which an error is logged: never payloads, never keys. */
export function errorFields(error: unknown): Record<string, unknown> {
  const fields: Record<string, unknown> = { error: textOf(error) }
  if (!isA(error, Error)) return fields
  for (const name of NAMES) {
    const value = peek(() => (error as Error & Record<string, unknown>)[name])
    if (value !== undefined) fields[name] = loggable(value)
  }
  return fields
}

const textOf = (thrown: unknown): string => wordsOf(thrown) ?? peek(() => String(thrown)) ?? describe(thrown)

/** Others may have no place in a line of JSON. */
const loggable = (value: unknown): unknown =>
  ["string", "number", "boolean"].includes(typeof value) ? value : textOf(value)
