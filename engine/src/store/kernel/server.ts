// Typed access to the database server itself.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "server", ["ping", "readClock", "readDurability", "hasSchema"])

/** Throws while the server is away. */
export async function ping(db: Database): Promise<void> {
  await db.query(sql.ping)
}

/** Throws where the transaction has failed before: its commit would be a rollback, and many libraries do not say so. */
export async function proveUnbroken(tx: Transaction): Promise<void> {
  await tx.read(sql.ping, {})
}

export async function readClock(db: Database): Promise<number> {
  const [row] = await db.query<{ now: number }>(sql.readClock)
  return (row as { now: number }).now
}

/** The settings that "accepted means committed" rests on, by name. */
export async function readDurability(db: Database): Promise<Readonly<Record<string, string>>> {
  const [row] = await db.query<Record<string, string>>(sql.readDurability)
  return row ?? {}
}

/** Whether any Millrace has ever migrated this schema. */
export async function hasSchema(db: Database): Promise<boolean> {
  const [row] = await db.query<{ there: boolean }>(sql.hasSchema)
  return row?.there === true
}
