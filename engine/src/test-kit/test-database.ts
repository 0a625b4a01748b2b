// Where the tables of a test go: into the database that is given, that of DATABASE_URL, or a PostgreSQL of this process's own.
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import type { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Embedded, startEmbedded } from "../db/embedded.ts"

let started: Promise<Embedded> | undefined

/** A connection string. */
export async function databaseOf(given: string | undefined): Promise<string> {
  const named = given || process.env.DATABASE_URL
  if (named) return named
  started ??= start()
  return (await started).dsn
}

async function start(): Promise<Embedded> {
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-testing-"))
  try {
    // No test pulls the plug of the machine.
    const server = await startEmbedded({ dataDir, settings: { fsync: "off", full_page_writes: "off" } })
    endWithThisProcess(server.dataDir)
    return server
  } catch (error) {
    started = undefined
    rmSync(dataDir, { recursive: true, force: true })
    throw error
  }
}

const STOP = `cat > /dev/null
kill -INT "$(head -n 1 "$0/postgres/postmaster.pid")"
while [ -e "$0/postgres/postmaster.pid" ]; do sleep 0.1; done
rm -rf "$0"`

/**
 * Test runners end their processes in every way there is, most of which run no exit handler. A pipe is closed by all of them:
 * a shell waits for its end, stops the server, and removes the folder.
 */
export function endWithThisProcess(dataDir: string): Socket {
  const keeper = spawn("sh", ["-c", STOP, dataDir], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  keeper.unref()
  const pipe = keeper.stdin as Socket
  pipe.unref()
  return pipe
}
