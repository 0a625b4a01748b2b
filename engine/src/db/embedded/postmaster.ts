// A server left running by a killed process: found through postmaster.pid, proven to be ours, and taken over.
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Database } from "../database.ts"
import { EmbeddedError } from "./embedded-error.ts"
import { isAlive, runsPostgresIn } from "./processes.ts"

interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly socketDir: string | undefined
  /** Last known phase: starting, ready, stopping or standby. */
  readonly status: string
}

const MOMENT_MS = 3_000
const PATIENCE_MS = 60_000
const POLL_MS = 50

/** The living server of this cluster, or undefined. A file whose pid now belongs to another program is removed. */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const file = join(cluster, "postmaster.pid")
  const found = readPidFile(file)
  // A dead server's file stays: PostgreSQL itself removes it after checking that no orphaned backend is left.
  if (!found || !isAlive(found.pid)) return undefined
  if (runsPostgresIn(found.pid, cluster)) return found
  rmSync(file, { force: true })
  return undefined
}

/** Waits out a server that is still starting or stopping; undefined when none is left. */
export async function awaitPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const found = findPostmaster(cluster)
    if (!found || found.status === "ready") return found
    if (Date.now() > deadline) {
      throw new EmbeddedError(
        `a PostgreSQL (process ${found.pid}) on ${cluster} has been ${found.status || "starting"} for a minute; stop it and try again`,
      )
    }
    await sleep(POLL_MS)
  }
}

/** Whether the server ends within a moment, or has ended. */
export async function hasEnded(cluster: string, pid: number): Promise<boolean> {
  for (const deadline = Date.now() + MOMENT_MS; Date.now() < deadline; await sleep(POLL_MS))
    if (findPostmaster(cluster)?.pid !== pid) return true
  return false
}

/** Proof that what answers there is the server of this cluster and knows our password. */
export async function proveOurs(dsn: string, cluster: string, pid: number): Promise<void> {
  const db = new Database({ dsn, schema: "public", maxConnections: 1 })
  try {
    const [row] = await db.script("select current_setting('data_directory') as folder")
    if (row?.folder !== cluster) throw new Error(`it serves ${row?.folder}`)
  } catch (error) {
    const why = (error as Error).message
    throw new EmbeddedError(
      `a PostgreSQL (process ${pid}) runs on ${cluster} but cannot be taken over: ${why}; stop it and try again`,
      error,
    )
  } finally {
    await db.close().catch(() => {})
  }
}

function readPidFile(file: string): Postmaster | undefined {
  let lines: string[]
  try {
    lines = readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.trim())
  } catch {
    return undefined
  }
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return { pid, port: Number(lines[3]), socketDir: lines[4] || undefined, status: lines[7] ?? "" }
}
