// The lock files beside the sockets of a data folder, which outlive a server that was killed, and name a pid that may be another's by now.
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Folder } from "./folder.ts"
import { isAlive, runsPostgresIn } from "./processes.ts"

type Sockets = Pick<Folder, "socketDir" | "cluster">

/** No server but that of this folder has its sockets here. PostgreSQL removes the lock of a dead one itself, and refuses any living pid. */
export function removeStaleLocks({ socketDir, cluster }: Sockets): void {
  for (const { file, pid } of locksIn(socketDir))
    if (isAlive(pid) && !runsPostgresIn(pid, cluster)) rmSync(file, { force: true })
}

/** The process of a PostgreSQL of this folder that has a socket of it still. */
export const holderOfSocket = ({ socketDir, cluster }: Sockets): number | undefined =>
  locksIn(socketDir).find(({ pid }) => runsPostgresIn(pid, cluster))?.pid

function locksIn(socketDir: string | undefined): { readonly file: string; readonly pid: number }[] {
  const names = socketDir === undefined ? [] : namesIn(socketDir).filter((name) => /^\.s\.PGSQL\.\d+\.lock$/.test(name))
  return names.flatMap((name) => {
    const file = join(socketDir as string, name)
    const pid = pidIn(file)
    return pid === undefined ? [] : [{ file, pid }]
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function pidIn(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10)
    return pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}
