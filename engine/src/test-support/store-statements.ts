// The store's statements as they are loaded, for tests that look at how PostgreSQL plans and reads them.
import { bindValues, type NamedValues } from "../db/bind-values.ts"
import type { Database } from "../db/database.ts"
import { encodeValues } from "../db/encode-values.ts"
import { readStatements, type Statement } from "../db/statements.ts"
import { assert } from "../support/assert.ts"

/** `storeStatement("jobs/claims", "claimJobs")` */
export const storeStatement = (file: string, name: string): Statement => statementIn([file], name)

/** A check of the doctor; those of events and those that look deep have files of their own. */
export const checkStatement = (name: string): Statement =>
  statementIn(["upkeep/doctor", "upkeep/doctor-events", "upkeep/doctor-deep"], name)

function statementIn(files: readonly string[], name: string): Statement {
  const statements = files.flatMap((file) => readStatements(new URL(`../store/${file}.sql`, import.meta.url)))
  const found = statements.find((statement) => statement.name.endsWith(`.${name}`))
  assert(found, `${files.join(".sql or ")}.sql has a block named ${name}`)
  return found
}

/** The values in the statement's order, as SQL writes them. */
export const literals = (statement: Statement, values: NamedValues): string[] =>
  encodeValues(bindValues(statement, values)).map((value) =>
    value === null ? "null" : `'${String(value).replaceAll("'", "''")}'`,
  )

/** How many pages of tables and indexes the statement reads, planned with its values. */
export async function pagesRead(db: Database, statement: Statement, values: NamedValues): Promise<number> {
  const texts = literals(statement, values)
  const text = statement.text.replaceAll(/\$(\d+)/g, (_, n: string) => texts[Number(n) - 1] as string)
  const [row] = await db.script(`explain (analyze, buffers, format json) ${text}`)
  const [{ Plan: plan }] = JSON.parse(row?.["QUERY PLAN"] as string)
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
}
