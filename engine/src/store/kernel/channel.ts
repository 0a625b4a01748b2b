// LISTEN on one dedicated connection, NOTIFY on any.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"

const sql = statements(import.meta.url, "channel", ["notify"])

const nameOf = (db: Database): string => `millrace_${db.schema}`

export async function notify(db: Database, payload: string): Promise<void> {
  await db.query(sql.notify, { channel: nameOf(db), payload })
}

export async function listen(
  db: Database,
  onMessage: (payload: string) => void,
  onLost: () => void,
): Promise<{ close(): void }> {
  const connection = await db.dedicated()
  let open = true
  const close = (error?: Error) => {
    if (!open) return
    open = false
    connection.release(error ?? new Error("listener closed"))
  }
  connection.on("notification", (message) => onMessage(message.payload ?? ""))
  connection.on("error", (error) => {
    close(error)
    onLost()
  })
  connection.on("end", () => {
    if (open) onLost()
    close()
  })
  try {
    await connection.query(`listen "${nameOf(db)}"`)
  } catch (error) {
    // A server that cannot listen, such as a standby, must not cost a connection each time it is asked.
    close(error as Error)
    throw error
  }
  return { close: () => close() }
}
