// The log: one JSON object per line on stdout, with secrets taken out and every value capped.
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from "pino"
import { isSecretName, safeText } from "./redact.ts"
import { isA, peek } from "./thrown.ts"

/** The only name by which the rest of the engine knows its logger. */
export type Logger = PinoLogger

export type LogLevel = "debug" | "info" | "warn" | "error"

interface LogOptions {
  readonly level: LogLevel | "silent"
  /** Where the lines go: stdout unless a test listens. */
  readonly destination?: DestinationStream
}

const MAX_DEPTH = 6
const MAX_ITEMS = 50
/** In place of what throws when it is looked at. */
const UNREADABLE = "(cannot be read)"

export function createLogger({ level, destination }: LogOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: cleanFields },
    // Errors are already plain fields when the serializer sees them.
    serializers: { err: (value: unknown) => value },
    hooks: { logMethod },
  }
  return cleanChildren(destination ? pino(options, destination) : pino(options))
}

// pino runs no formatter over a child's bindings; children inherit this method from their parent.
function cleanChildren(log: Logger): Logger {
  const { child } = log
  log.child = function (this: Logger, bindings: object, options?: object) {
    return child.call(this, cleanFields(bindings), options)
  } as Logger["child"]
  return log
}

// Messages reach pino as arguments, not as fields, so they are cleaned on the way in.
function logMethod(this: Logger, args: unknown[], method: (...args: unknown[]) => void): void {
  const [first] = args
  const fields = first instanceof Error ? [{ err: first }, first.message, ...args.slice(1)] : args
  method.apply(
    this,
    fields.map((value) => (typeof value === "string" ? safeText(value) : value)),
  )
}

const cleanFields = (fields: object): Record<string, unknown> => cleanObject(fields, 0)

function cleanObject(value: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(value)
  const kept = entries
    .slice(0, MAX_ITEMS)
    .map(([name, item]) => [safeText(name), isSecretName(name) ? "****" : cleanValue(item, depth + 1)])
  if (entries.length > MAX_ITEMS) kept.push(["…", `${entries.length - MAX_ITEMS} more`])
  return Object.fromEntries(kept)
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return safeText(value)
  if (typeof value === "bigint") return String(value)
  if (typeof value !== "object" || value === null) return value
  if (isA(value, Error)) return cleanError(value, depth)
  const cleaned = peek(() => cleanOther(value, depth))
  return cleaned === undefined ? UNREADABLE : cleaned
}

function cleanOther(value: object, depth: number): unknown {
  if (value instanceof Date) return value.toJSON()
  if (depth >= MAX_DEPTH) return "…"
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => cleanValue(item, depth + 1))
  return cleanObject(value, depth)
}

// Only what helps to find the cause: a driver error's other fields may quote rows.
function cleanError(error: Error, depth: number): Record<string, unknown> {
  const code = peek(() => (error as { code?: unknown }).code)
  const cause = peek(() => error.cause)
  return {
    type: textOf(() => error.name),
    message: textOf(() => error.message),
    ...(typeof code === "string" ? { code } : {}),
    stack: textOf(() => error.stack ?? ""),
    ...(cause !== undefined && depth < MAX_DEPTH ? { cause: cleanValue(cause, depth + 1) } : {}),
  }
}

const textOf = (look: () => unknown): string => safeText(peek(() => String(look())) ?? UNREADABLE)
