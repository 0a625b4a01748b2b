// Where the runner says what went wrong. The shape is pino's, so that a pino logger can be passed as it is.

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

/** The fields by which an error is logged: never payloads, never keys. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) }
  const { code, status, kind, requestId } = error as Error & Record<string, unknown>
  return { error: error.message, ...definedOnly({ code, status, kind, requestId }) }
}

function definedOnly(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
