// What every form of the kill test has: a folder, a PostgreSQL that can be killed, and somewhere to write down what is wrong.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "../../../engine/dist/db/database.js"
import { Server } from "./server.ts"

export interface Arena {
  readonly folder: string
  readonly journals: string
  readonly server: Server
  readonly dsn: string
  /** The connection of the code that judges the run. */
  readonly db: Database
  /** In words. */
  readonly violations: string[]
}

/** The folder is kept where it was chosen, and where something is wrong. */
export async function inArena<Result>(
  chosen: string | undefined,
  fight: (arena: Arena) => Promise<Result>,
): Promise<Result & Pick<Arena, "violations" | "folder">> {
  const folder = chosen ?? mkdtempSync(join(tmpdir(), "millrace-chaos-"))
  const journals = join(folder, "journals")
  mkdirSync(journals, { recursive: true })
  const server = new Server(folder)
  const dsn = await server.start()
  const options = { schema: "millrace", maxConnections: 4, applicationName: "chaos-verifier", statementMs: 60_000 }
  const db = new Database({ dsn, ...options })
  const violations: string[] = []
  try {
    return { ...(await fight({ folder, journals, server, dsn, db, violations })), violations, folder }
  } catch (error) {
    violations.push(`it broke off: ${String((error as Error)?.stack ?? error)}`)
    throw error
  } finally {
    await db.close().catch(() => {})
    await server.stop()
    if (violations.length > 0) writeFileSync(join(folder, "violations.txt"), `${violations.join("\n")}\n`)
    else if (!chosen) rmSync(folder, { recursive: true, force: true })
  }
}
