// The embedded PostgreSQL: a real server in a private folder, started with one call and found again after a crash.
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { findBinaries } from "./embedded/binaries.ts"
import { checkVersion, DATABASE, ensureCluster, ROLE } from "./embedded/cluster.ts"
import { onFolder } from "./embedded/embedded-error.ts"
import { type Folder, openFolder } from "./embedded/folder.ts"
import { createLauncher, type Launcher, type RootMode } from "./embedded/launcher.ts"
import { takeOwnership } from "./embedded/owner.ts"
import { awaitPostmaster, findPostmaster, hasEnded, proveOurs } from "./embedded/postmaster.ts"
import { type Place, startServer, stopServer } from "./embedded/server.ts"
import type { ServerSettings } from "./embedded/server-settings.ts"

export { EmbeddedError } from "./embedded/embedded-error.ts"

interface EmbeddedOptions {
  readonly dataDir: string
  /** Added to postgresql.conf; `fsync: "off"` also makes initdb skip its own, for servers that tests throw away. */
  readonly settings?: ServerSettings
  readonly rootMode?: RootMode
}

export interface Embedded {
  /** Over the private socket where there is one, else over loopback. */
  readonly dsn: string
  /** Over loopback, for tools that know no sockets. */
  readonly tcpDsn: string
  readonly port: number
  /** The folder in use, absolute. */
  readonly dataDir: string
  readonly passwordFile: string
  readonly logFile: string
  /** True when a server left by a killed process was taken over. */
  readonly reattached: boolean
  stop(): Promise<void>
}

export async function startEmbedded({ dataDir, settings = {}, rootMode = "auto" }: EmbeddedOptions): Promise<Embedded> {
  const folder = openFolder(dataDir)
  const release = onFolder(folder.root, () => takeOwnership(folder.root))
  try {
    const binaries = findBinaries(folder.libraries)
    checkVersion(folder, binaries.major)
    const launcher = onFolder(folder.root, () => createLauncher(binaries, folder.root, rootMode))
    const password = await ensureCluster(folder, launcher, { sync: settings.fsync !== "off" })
    const running = await adopt(folder, password)
    const place = running ?? (await startServer(folder, launcher, settings))
    return describe(folder, place, {
      password,
      reattached: running !== undefined,
      stop: stopOnce(folder, launcher, release),
    })
  } catch (error) {
    release()
    throw error
  }
}

/** The DSN of the server that runs in this folder now, for a command beside it; undefined when none does. */
export function findEmbeddedDsn(dataDir: string): string | undefined {
  if (!existsSync(dataDir)) return undefined
  const root = realpathSync(dataDir)
  const passwordFile = join(root, "password")
  const found = existsSync(passwordFile) ? findPostmaster(join(root, "postgres")) : undefined
  return found ? dsnOf(found, readFileSync(passwordFile, "utf8").trim()) : undefined
}

async function adopt(folder: Folder, password: string): Promise<Place | undefined> {
  const found = await awaitPostmaster(folder.cluster)
  if (!found) return undefined
  try {
    await proveOurs(dsnOf(found, password), folder.cluster, found.pid)
    return found
  } catch (error) {
    // A server that was killed a moment ago still has its process while it ends, and answers nothing.
    if (await hasEnded(folder.cluster, found.pid)) return undefined
    throw error
  }
}

function describe(
  folder: Folder,
  place: Place,
  rest: { password: string; reattached: boolean; stop: () => Promise<void> },
): Embedded {
  return {
    dsn: dsnOf(place, rest.password),
    tcpDsn: dsnOf({ ...place, socketDir: undefined }, rest.password),
    port: place.port,
    dataDir: folder.root,
    passwordFile: folder.passwordFile,
    logFile: folder.log,
    reattached: rest.reattached,
    stop: rest.stop,
  }
}

// A host in the query wins over the one before it, for our driver as for psql.
const dsnOf = ({ port, socketDir }: Place, password: string): string =>
  `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}${socketDir ? `?host=${encodeURIComponent(socketDir)}` : ""}`

function stopOnce(folder: Folder, launcher: Launcher, release: () => void): () => Promise<void> {
  let stopping: Promise<void> | undefined
  return () => {
    stopping ??= stopServer(folder, launcher).finally(release)
    return stopping
  }
}
