// The log for people: one line for each event, with its time, its level, the workflow or job that it is about, and a short cause.
import type { Command } from "commander"
import { isObject } from "../../support/json.ts"
import type { LogLevel } from "../../support/log.ts"
import { safeText } from "../../support/redact.ts"
import { cellText, cut } from "../drawing/cell-text.ts"
import { type Paint, painterFor, type Style } from "../drawing/paint.ts"
import { took } from "../drawing/times.ts"
import { oneOf } from "../options/choices.ts"
import type { Screen } from "./surroundings.ts"

export interface LogOptions {
  readonly logFormat?: "pretty" | "json"
}

export const withLogFormat = (command: Command): Command =>
  command.option(
    "--log-format <format>",
    "pretty or json (default: pretty at a terminal, json elsewhere)",
    oneOf("pretty", "json"),
  )

interface Lines {
  write(line: string): unknown
}

/** Where the log writes its JSON lines: to the screen as they are, or made readable on the way. */
export function logSink(screen: Screen, env: NodeJS.ProcessEnv, { logFormat }: LogOptions): Lines {
  const isPretty = logFormat === undefined ? screen.isTTY === true : logFormat === "pretty"
  if (!isPretty) return screen
  const paint = painterFor(screen, env)
  return { write: (line) => (isPlainRead(line) ? undefined : screen.write(`${prettyLine(line, paint)}\n`)) }
}

/** A command with `--watch` asks three times a second: such lines would push everything else off the screen. */
function isPlainRead(line: string): boolean {
  const { msg, method, status } = parsed(line) ?? {}
  return msg === "request" && method === "GET" && Number(status) < 400
}

type Entry = Readonly<Record<string, unknown>>

const STYLES: Readonly<Record<LogLevel, Style>> = { debug: "dim", info: "green", warn: "yellow", error: "red" }

/** Said in another way, or of use to programs only. */
const LEFT_OUT = new Set(
  "level time msg err workflow definitionId jobType method route status durationMs bytes remote traceparent requestId".split(
    " ",
  ),
)
const LONGEST_FIELD = 60

export function prettyLine(json: string, paint: Paint): string {
  const entry = parsed(json)
  if (!entry) return safeText(json.trimEnd())
  const level = String(entry.level)
  const name = cellText(entry.workflow ?? entry.definitionId ?? entry.jobType ?? "")
  const line = [
    paint("dim", clockTime(entry.time)),
    paint(STYLES[level as LogLevel] ?? "bold", level.toUpperCase().padEnd(5)),
    ...(name === "" ? [] : [paint("bold", name)]),
    wordsOf(entry),
    ...fieldsOf(entry).map((field) => paint("dim", field)),
  ].join(" ")
  return [line, ...stackOf(entry).map((frame) => paint("dim", `    ${frame}`))].join("\n")
}

function parsed(json: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** On the clock of this machine: who reads it sits before it. */
function clockTime(time: unknown): string {
  const at = new Date(String(time))
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString("sv-SE")
}

function wordsOf(entry: Entry): string {
  const { msg, method, route, status, durationMs } = entry
  if (msg === "request" && typeof route === "string")
    return `${cellText(method)} ${cellText(route)} ${cellText(status)} ${took(Number(durationMs))}`
  const cause = causeOf(entry)
  const words = cellText(msg)
  return cause === "" || words.includes(cause) ? words : `${words}: ${cause}`
}

const causeOf = ({ err }: Entry): string => (isObject(err) ? cellText(err.message) : "")

/** A request that failed through a fault of the engine is looked for by its id. */
function fieldsOf(entry: Entry): readonly string[] {
  const isFault = typeof entry.status === "number" && entry.status >= 500
  return Object.entries(entry)
    .filter(([name]) => !LEFT_OUT.has(name) || (isFault && name === "requestId"))
    .map(([name, value]) => `${cellText(name)}=${cut(cellText(value), LONGEST_FIELD)}`)
}

/** The stack of a fault of the engine, which is logged as an error. For a failed handler the cause is enough. */
function stackOf({ level, err }: Entry): readonly string[] {
  const isWanted = (level === "error" || level === "debug") && isObject(err) && typeof err.stack === "string"
  if (!isWanted) return []
  const frames = String(err.stack)
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "))
  return frames.map((line) => safeText(line.trim()))
}
