// Finds the line of what a violation speaks of: its path, or as much of it as is there.
import type { Violation } from "../api/http.ts"
import { type JsonNode, type Outline, outlineOf } from "./json-outline.ts"

export interface Place {
  /** From 1. */
  readonly line: number
  readonly path: string
  readonly message: string
  /** What to say at the line itself: with the name of what is not there to be seen. */
  readonly inLine: string
  readonly hint?: string | undefined
}

/** What is no JSON comes first: until it is mended, the engine cannot look at the rest. */
export function placesOf(text: string, marks: readonly Violation[], outline: Outline = outlineOf(text)): Place[] {
  const starts = lineStarts(text)
  const { root, fault } = outline
  const placed = marks.map(({ path, message, hint }) => {
    const { at, missing } = find(root, readPath(path))
    return { line: lineAt(starts, at), path, message, inLine: [...missing, message].join(" "), hint }
  })
  const inOrder = placed.sort((a, b) => a.line - b.line)
  return fault
    ? [{ line: lineAt(starts, fault.at), path: "", message: fault.message, inLine: fault.message }, ...inOrder]
    : inOrder
}

export function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}

function lineAt(starts: readonly number[], offset: number): number {
  const after = starts.findIndex((start) => start > offset)
  return after === -1 ? starts.length : after
}

/** Something that is missing is shown where it would be. */
function find(root: JsonNode | undefined, path: readonly (string | number)[]) {
  let node = root
  for (const [index, key] of path.entries()) {
    const next = node?.inner && (node.inner.get(key) ?? cutKey(node.inner, key))
    if (!next) return { at: node?.at ?? 0, missing: path.slice(index) }
    node = next
  }
  return { at: node?.at ?? 0, missing: [] }
}

/** The engine cuts long keys in its paths. */
function cutKey(inner: ReadonlyMap<string | number, JsonNode>, key: string | number): JsonNode | undefined {
  if (typeof key !== "string" || !key.endsWith("…")) return undefined
  const start = key.slice(0, -1)
  return [...inner].find(([name]) => String(name).startsWith(start))?.[1]
}

const PART = /\.?([^.[\]$]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g

/** `$.steps[2].conditionalNextSteps["amount > 5"]` as its parts; a JSON pointer (`/steps/2`) is understood, too. */
export function readPath(path: string): (string | number)[] {
  if (path.startsWith("/")) return path.slice(1).split("/").map(pointerPart)
  return [...path.replace(/^\$/, "").matchAll(PART)].map(([, name, index, quoted]) =>
    index !== undefined ? Number(index) : quoted !== undefined ? (JSON.parse(quoted) as string) : (name as string),
  )
}

const pointerPart = (part: string): string | number =>
  /^\d+$/.test(part) ? Number(part) : part.replaceAll("~1", "/").replaceAll("~0", "~")
