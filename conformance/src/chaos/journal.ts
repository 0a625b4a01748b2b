// What one process did and was told, as lines of JSON. A line that matters is on the disk before anything rests on it.
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { FloodLine } from "./flood/lines.ts"
import type { JobLine } from "./jobs/lines.ts"

/** `info` is unknown: the process died, or the answer was lost. */
export type Line =
  | JobLine
  | FloodLine
  | { readonly op: "invoke"; readonly key: string; readonly request: StartBody }
  | { readonly op: "ok"; readonly key: string; readonly id: string }
  | { readonly op: "fail"; readonly key: string; readonly code: string }
  | { readonly op: "info"; readonly key: string; readonly error: string }
  | { readonly op: "note"; readonly what: string; readonly id: string }
  /** Something that must never happen. */
  | { readonly op: "bug"; readonly what: string; readonly error: string }

export interface StartBody {
  readonly definitionId: string
  readonly variables: { readonly ref: string; readonly amount: number }
  readonly businessKey?: string
}

export class Journal {
  readonly #file: number

  constructor(folder: string, name: string) {
    this.#file = openSync(join(folder, `${name}.jsonl`), "a")
  }

  write(...lines: readonly Line[]): void {
    for (const line of lines) writeSync(this.#file, `${JSON.stringify(line)}\n`)
  }

  /** Returns when the lines are on the disk. */
  sync(...lines: readonly Line[]): void {
    this.write(...lines)
    fsyncSync(this.#file)
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** The lines of all journals whose name begins so. The last line of a killed process may be cut short: it says nothing. */
export const readJournals = (folder: string, prefix = ""): Line[] => [...eachLine(folder, prefix)]

/** One after the other, by name: those of a flood are too many to hold. */
export function* eachLine(folder: string, prefix = ""): Generator<Line> {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder).sort()) {
    if (!name.startsWith(prefix) || !name.endsWith(".jsonl")) continue
    for (const text of readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1)) yield* lineOf(text)
  }
}

function lineOf(text: string): Line[] {
  try {
    return [JSON.parse(text) as Line]
  } catch {
    return []
  }
}

/** Starts that were sent and never answered. */
export function unresolved(lines: readonly Line[]): Extract<Line, { op: "invoke" }>[] {
  const answered = new Set(lines.flatMap((line) => (line.op === "ok" || line.op === "fail" ? [line.key] : [])))
  const open = lines.flatMap((line) => (line.op === "invoke" && !answered.has(line.key) ? [line] : []))
  return [...new Map(open.map((line) => [line.key, line])).values()]
}
