// Loads the .sql file beside a store module: every `-- name:` block becomes a prepared statement.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert } from "../support/assert.ts"

/** A prepared statement. The name is its identity on the connection, the text never changes. */
export interface Statement {
  readonly name: string
  readonly text: string
  /**
   * anew: never prepared, because the plan depends on which filters are given, and one for all would read everything.
   * by index: once, and by index whatever the statistics say, as every statement within a transaction.
   */
  readonly planned?: "anew" | "by index"
}

/** `statements(import.meta.url, "jobs")` reads `jobs.sql` beside the caller. Unknown names fail at load, not at the first call. */
export function statements<const Name extends string>(
  moduleUrl: string,
  file: string,
  names: readonly Name[],
): Record<Name, Statement> {
  const text = readFileSync(fileURLToPath(new URL(`./${file}.sql`, moduleUrl)), "utf8")
  const found = new Map(parseBlocks(text).map(({ name, ...block }) => [name, { name: `${file}.${name}`, ...block }]))
  for (const name of names) assert(found.has(name), `${file}.sql has a block named ${name}`)
  for (const name of found.keys()) assert((names as readonly string[]).includes(name), `${file}.sql: ${name} is used`)
  return Object.fromEntries(found) as Record<Name, Statement>
}

/** A block begins with `-- name: <name>`, or `-- name: <name>, planned anew`, or `…, planned by index`. */
function parseBlocks(text: string): Statement[] {
  return text
    .split(/^-- name: /m)
    .slice(1)
    .map((block) => {
      const end = block.indexOf("\n")
      const [name = "", manner] = block.slice(0, end).trim().split(", ")
      const planned = manner?.replace("planned ", "") as Statement["planned"]
      return { name, text: block.slice(end + 1).trim(), ...(planned ? { planned } : {}) }
    })
}
