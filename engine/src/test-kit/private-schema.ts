// A schema for one test engine: made, given a clock that can be moved, and dropped with all that is in it.
import { randomBytes } from "node:crypto"
import { Database } from "../db/database.ts"
import { hasSqlState } from "../db/errors.ts"
import { migrate } from "../db/migrate.ts"
import { badRequest, EngineError } from "../support/errors.ts"

export interface PrivateSchema {
  readonly name: string
  drop(): Promise<void>
}

const NAME = /^[a-z_][a-z0-9_]{0,55}$/
const DUPLICATE_SCHEMA = "42P06"

const CLOCK = `
  create table millrace.test_clock (offset_ms bigint not null);
  insert into millrace.test_clock values (0);
  create or replace function millrace.clock() returns timestamptz language sql volatile as
    'select clock_timestamp() + (select offset_ms from millrace.test_clock) * interval ''1 ms''';
`

export async function createPrivateSchema(dsn: string, given: string | undefined): Promise<PrivateSchema> {
  const name = given ?? `millrace_test_${randomBytes(6).toString("hex")}`
  if (!NAME.test(name) || name.startsWith("pg_"))
    throw badRequest(`${JSON.stringify(name)} cannot name a schema: use at most 56 lower case letters, digits and _`)
  await onSchema(dsn, name, makeNew)
  const drop = () => onSchema(dsn, name, dropAll)
  try {
    await onSchema(dsn, name, async (db) => {
      await migrate(db)
      await db.script(CLOCK)
    })
  } catch (error) {
    await drop().catch(() => {})
    throw error
  }
  return { name, drop }
}

async function onSchema(dsn: string, schema: string, work: (db: Database) => Promise<unknown>): Promise<void> {
  const db = new Database({ dsn, schema, maxConnections: 1 })
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

/** What is there already is not ours to drop. Both or neither: one text is one transaction. */
async function makeNew(db: Database): Promise<void> {
  try {
    await db.script(`create schema ${db.schema}; create schema ${db.schema}_views`)
  } catch (error) {
    if (!hasSqlState(error, DUPLICATE_SCHEMA)) throw error
    throw new EngineError(
      "conflict",
      `schema ${db.schema} or ${db.schema}_views is there already; a test engine drops its own: name another`,
    )
  }
}

const dropAll = (db: Database) =>
  db.script(`drop schema if exists ${db.schema}_views cascade; drop schema if exists ${db.schema} cascade`)
