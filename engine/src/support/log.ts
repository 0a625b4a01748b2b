// The log: one JSON object per line on stdout, with secrets taken out and every value capped.
import { type DestinationStream, type Logger as PinoLogger, pino } from "pino"
import { isPlain, isPlainName, isSecretName, safeText } from "./redact.ts"
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
    timestamp: timeOfLine,
    formatters: { level: (label: string) => ({ level: label }), log: cleanFields },
    // Errors are already plain fields when the serializer sees them.
    serializers: { err: (value: unknown) => value },
    hooks: { logMethod },
  }
  stdout ??= destination ? undefined : linesOfOneTurn()
  return cleanChildren(pino(options, destination ?? stdout))
}

let lastSecond = -1
let lastSecondText = ""

/** In ISO 8601. The text of a second is made once: of a line that is written often it was a tenth of the cost. */
function timeOfLine(): string {
  const nowMs = Date.now()
  const second = Math.floor(nowMs / 1_000)
  if (second !== lastSecond) {
    lastSecond = second
    lastSecondText = new Date(second * 1_000).toISOString().slice(0, -4)
  }
  return `,"time":"${lastSecondText}${String(nowMs - second * 1_000).padStart(3, "0")}Z"`
}

/** One for all loggers of the process: their lines stay in order. */
let stdout: DestinationStream | undefined

/**
 * Stdout, with the lines of one turn of the event loop in one write: under load a write for each line was a tenth of the work of a
 * request. What is left at the exit of the process is written then.
 */
function linesOfOneTurn(): DestinationStream {
  const out = pino.destination({ dest: 1, sync: true, minLength: 16_000 })
  let isDue = false
  const flush = () => {
    isDue = false
    // Not flushSync: that one throws where the reader of a pipe has gone, and the process would end with it.
    out.flush()
  }
  process.once("exit", () => peek(() => out.flushSync()))
  return {
    write(line: string) {
      out.write(line)
      if (isDue) return
      isDue = true
      setImmediate(flush)
    },
  }
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
  for (const [at, value] of fields.entries()) if (typeof value === "string") fields[at] = safeText(value)
  method.apply(this, fields)
}

/** Most lines have nothing to clean, and are written as they are. */
const cleanFields = (fields: object): Record<string, unknown> =>
  isAllPlain(fields as Record<string, unknown>) ? (fields as Record<string, unknown>) : cleanObject(fields, 0)

function isAllPlain(fields: Record<string, unknown>): boolean {
  let count = 0
  for (const name in fields) {
    const value = fields[name]
    if (!(typeof value === "string" ? isPlain(value) : AS_THEY_ARE.has(typeof value))) return false
    if (!isPlainName(name) || ++count > MAX_ITEMS) return false
  }
  return true
}

const AS_THEY_ARE: ReadonlySet<string> = new Set(["number", "boolean", "undefined"])

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
