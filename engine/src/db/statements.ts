// Loads the .sql file beside a store module: every `-- name:` block becomes a prepared statement.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert } from "../support/assert.ts"
import { type NumberedText, numberParameters } from "./named-parameters.ts"

/** A prepared statement. The name is its identity on the connection, the text never changes. */
export interface Statement extends NumberedText {
  readonly name: string
  /**
   * anew: never prepared, because the plan depends on which filters are given, and one for all would read everything.
   * by index: once, and by index whatever the statistics say, as every statement within a transaction.
   * whole: for questions about whole tables, whose rows are joined by hash whatever the statistics say.
   * within a minute: the same, and reads only; after a minute the server gives it up.
   * plainly: it inserts new rows, has only one plan, and waits for no lock, so it needs no settings of its own.
   */
  readonly planned?: "anew" | "by index" | "whole" | "within a minute" | "plainly"
}

/** `statements(import.meta.url, "jobs", […])` reads `jobs.sql` beside the caller. Unknown and unused names fail at load. */
export function statements<const Name extends string>(
  moduleUrl: string,
  file: string,
  names: readonly Name[],
): Record<Name, Statement> {
  const found = new Map(readStatements(new URL(`./${file}.sql`, moduleUrl)).map((block) => [block.name, block]))
  for (const name of names) assert(found.has(`${file}.${name}`), `${file}.sql has a block named ${name}`)
  assert(found.size === names.length, `every block of ${file}.sql is used`)
  return Object.fromEntries(names.map((name) => [name, found.get(`${file}.${name}`)])) as Record<Name, Statement>
}

/**
 * All statements of a file, each named `<file>.<block>`. A block begins with `-- name: <block>`, or `-- name: <block>, planned anew`,
 * or `…, planned by index`, `…, planned whole`, `…, planned within a minute`, `…, planned plainly`.
 */
export function readStatements(url: URL): Statement[] {
  const file = url.pathname.replace(/^.*\/|\.sql$/g, "")
  const blocks = readFileSync(fileURLToPath(url), "utf8").split(/^-- name: /m)
  return blocks.slice(1).map((block) => {
    const end = block.indexOf("\n")
    const [name = "", manner] = block.slice(0, end).trim().split(", ")
    const planned = manner?.replace("planned ", "") as Statement["planned"]
    return { ...statement(`${file}.${name}`, block.slice(end + 1).trim()), ...(planned ? { planned } : {}) }
  })
}

export const statement = (name: string, text: string): Statement => ({ name, ...numberParameters(text) })
