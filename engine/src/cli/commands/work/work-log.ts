// The log of a worker: on stderr, and without the stacks of what handlers throw, unless the level is debug.
import { createLogger, type Logger, type LogLevel } from "../../../support/log.ts"

interface Sink {
  write(line: string): unknown
}

/** What a command prints is on stdout; the log must not mix with it. */
export function createWorkLog(level: LogLevel, sink: Sink): Logger {
  const write = (line: string) => void sink.write(level === "debug" ? line : withoutStack(line))
  return createLogger({ level, destination: { write } })
}

/** A failed handler is a warning at most; a fault of the engine's keeps its stack. */
function withoutStack(line: string): string {
  if (!line.includes('"stack":')) return line
  const { err, ...entry } = JSON.parse(line) as { level: string; err?: object }
  if (entry.level === "error" || err === undefined) return line
  return `${JSON.stringify({ ...entry, err }, (name, value) => (name === "stack" ? undefined : value))}\n`
}
