// The other side of jobs-gate: the engine in this process enqueues without admission and without counting.
//
// A trigger or an empty function in the database would leave most of the cost where it is. The engine reads its statements
// when it is loaded, so those that enqueue are read without the gate, the depth and what joins them, and nothing else changes.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const FILE = /[/\\]store[/\\]jobs[/\\]enqueue\.sql$/

/** The marks are still sent: they must have a type, and are not looked at. */
const MARKS = "@high::integer, @low::integer, @totalHigh::integer, @totalLow::integer"

/** Of each statement: what to take out. */
const CUTS = {
  enqueueJobs: [
    [/^with gate as materialized \(\n.*\n\),$/m, `with marks as (select ${MARKS}),`],
    [/ from gate, @jobs/, " from @jobs"],
    [/\n {2}where not \(x\.is_gated and gate\.shut && array\[x\.priority, 'total'\]\)/, ""],
    [/,\n-- .*\ncounted as \([\s\S]*?m\.queue_id\)$/m, ""],
    [/\(select shut from gate\)/, "'{}'::text[]"],
  ],
  enqueueAlike: [
    [
      /^with gate as materialized \(\n.*\n\),$/m,
      `with marks as (select ${MARKS}, @priority::text, @isGated::boolean),`,
    ],
    [/, gate\n {2}where not .*$/m, ""],
    [/,\n-- .*\ncounted as \(\n[\s\S]*?\n\)/, ""],
    [/\(select shut from gate\)/, "'{}'::text[]"],
  ],
}

/** From now on in this process. The engine must not have been loaded yet. */
export function takeOutGate() {
  const read = fs.readFileSync
  fs.readFileSync = (path, ...options) => {
    const text = read(path, ...options)
    return typeof path === "string" && FILE.test(path) ? withoutGate(text) : text
  }
  syncBuiltinESMExports()
}

export const withoutGate = (text) =>
  Object.entries(CUTS).reduce((rest, [name, cuts]) => {
    const block = new RegExp(`^-- name: ${name}(?:,.*)?$[\\s\\S]*?(?=^-- name: |(?![\\s\\S]))`, "m")
    return replaceOnce(rest, block, (found) => cuts.reduce(cut, found))
  }, text)

const cut = (block, [pattern, instead]) => replaceOnce(block, pattern, () => instead)

function replaceOnce(text, pattern, replacement) {
  if (!pattern.test(text)) throw new Error(`the statement that enqueues has changed: it has no ${pattern.source}`)
  return text.replace(pattern, replacement)
}
