// The server's settings file, written anew at every start, and the free port it listens on.
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import type { Folder } from "./folder.ts"

export type ServerSettings = Readonly<Record<string, string | number>>

// Small enough for a laptop, and as safe as production: what was committed survives a power cut.
const DEFAULTS: ServerSettings = {
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  max_connections: 100,
  shared_buffers: "128MB",
  max_wal_size: "1GB",
  checkpoint_timeout: "15min",
  wal_compression: "on",
  random_page_cost: 1.1,
  jit: "off",
  // Short statements gain nothing from parallel workers, and containers give them too little shared memory.
  max_parallel_workers_per_gather: 0,
  password_encryption: "scram-sha-256",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] ",
  logging_collector: "off",
}

export function writeSettings(
  folder: Folder,
  place: { port: number; socketDir: string | undefined },
  extra: ServerSettings,
): void {
  const reach: ServerSettings = {
    listen_addresses: "127.0.0.1",
    port: place.port,
    unix_socket_directories: place.socketDir ? `"${place.socketDir}"` : "",
    unix_socket_permissions: "0700",
  }
  const lines = Object.entries({ ...DEFAULTS, ...extra, ...reach }).map(([name, value]) => `${name} = ${quote(value)}`)
  const header = "# Written by millrace at every start: changes here are lost. ALTER SYSTEM keeps yours."
  writeFileSync(join(folder.cluster, "postgresql.conf"), [header, ...lines, ""].join("\n"), { mode: 0o600 })
  writeFileSync(folder.portFile, String(place.port))
}

const quote = (value: string | number): string => `'${String(value).replaceAll("\\", "\\\\").replaceAll("'", "''")}'`

/** The port of the last start when it is still free, so that a saved psql command keeps working; else any free one. */
export async function choosePort(folder: Folder): Promise<number> {
  const last = rememberedPort(folder)
  return (last && (await freePort(last))) || (await freePort(0))!
}

function rememberedPort(folder: Folder): number | undefined {
  try {
    const port = Number(readFileSync(folder.portFile, "utf8"))
    return Number.isInteger(port) && port > 1023 && port < 65_536 ? port : undefined
  } catch {
    return undefined
  }
}

export const freePort = (wanted: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once("error", () => resolve(undefined))
    probe.listen(wanted, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" ? address?.port : undefined))
    })
  })
