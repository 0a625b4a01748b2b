// The connections of a process to PostgreSQL, and transactions on them. A connection that is lost fails what runs on it, and nothing else.
import pg from "pg"

export type Db = pg.Pool
export type Tx = pg.PoolClient

export function openDb(url: string, max: number): Db {
  const db = new pg.Pool({ connectionString: url, max })
  // Of a connection that lies idle while the server goes away: the next request opens another.
  db.on("error", () => {})
  return db
}

/** Statements have names, so that the server parses and plans each once for a connection. Their texts are few. */
export async function rowsOf<Row>(on: Db | Tx, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const name = names.get(text) ?? `payments-${names.size}`
  names.set(text, name)
  return (await on.query({ name, text, values: [...values] })).rows as Row[]
}

const names = new Map<string, string>()

/** What the work throws rolls everything back. A connection that cannot even do that is closed. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await db.connect()
  const ignore = () => {}
  tx.on("error", ignore)
  let broken: Error | undefined
  try {
    await tx.query("begin")
    const result = await work(tx)
    await tx.query("commit")
    return result
  } catch (error) {
    await tx.query("rollback").catch((lost) => (broken = lost))
    throw error
  } finally {
    tx.off("error", ignore)
    tx.release(broken)
  }
}
