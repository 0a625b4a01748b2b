// What the engine needs to find in the database, by name: read from the golden schema, which the migrations add up to.
import { readFileSync } from "node:fs"

export type SchemaObject = {
  readonly kind: "table" | "index" | "sequence" | "function" | "view"
  /** For a view for readers, which has a schema of its own. */
  readonly for_readers: boolean
  readonly name: string
}

const FILE = new URL("../../migrations/schema.sql", import.meta.url)

/** A relation or a function at the beginning of a line; a constraint that is kept by an index. */
const OBJECT =
  /^create (?<kind>table|sequence|view) (?<room>\w+)\.(?<name>\w+)|^CREATE (?:UNIQUE )?INDEX (?<index>\w+) |^CREATE OR REPLACE FUNCTION millrace\.(?<routine>\w+)\(|^ {2}constraint (?<key>\w+) (?:PRIMARY KEY|UNIQUE) /gm

export function readSchemaObjects(): readonly SchemaObject[] {
  return [...readFileSync(FILE, "utf8").matchAll(OBJECT)].map(({ groups = {} }) => {
    const { kind, room, name, index, routine, key } = groups
    if (routine) return { kind: "function", for_readers: false, name: routine }
    if (name) return { kind: kind as SchemaObject["kind"], for_readers: room === "millrace_views", name }
    return { kind: "index", for_readers: false, name: (index ?? key) as string }
  })
}
