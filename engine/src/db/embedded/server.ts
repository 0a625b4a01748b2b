// The server process: started and stopped through pg_ctl, which waits until it is really up or down.
import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { EmbeddedError } from "./embedded-error.ts"
import type { Folder } from "./folder.ts"
import type { Launcher } from "./launcher.ts"
import { findPostmaster } from "./postmaster.ts"
import { choosePort, freePort, type ServerSettings, writeSettings } from "./server-settings.ts"
import { holderOfSocket, removeStaleLocks } from "./socket-locks.ts"

/** Where the server listens. */
export interface Place {
  readonly port: number
  readonly socketDir: string | undefined
}

const MAX_LOG_BYTES = 10_000_000
const RETRY_FOR_MS = 15_000

export async function startServer(folder: Folder, launcher: Launcher, settings: ServerSettings): Promise<Place> {
  rotateLog(folder)
  const deadline = Date.now() + RETRY_FOR_MS
  let place: Place | undefined = { port: await choosePort(folder), socketDir: folder.socketDir }
  for (;;) {
    removeStaleLocks(folder)
    const logged = logSize(folder)
    writeSettings(folder, place, settings)
    const args = ["start", "-w", "-t", "60", "-s", "-D", folder.cluster, "-l", folder.log]
    const { ok, output } = await launcher.run("pg_ctl", args)
    if (ok) return place
    const said = readLog(folder, logged)
    place = Date.now() < deadline ? await nextPlace(place, said) : undefined
    if (!place)
      throw new EmbeddedError(
        `the embedded PostgreSQL did not start: ${reason(said) ?? output.trim()}${heldBy(folder)} (log: ${folder.log})`,
      )
  }
}

/** Where to try again after what the server said, or undefined when trying again cannot help. */
async function nextPlace(place: Place, said: string): Promise<Place | undefined> {
  // Another process took the port between our look and the server's bind.
  if (/could not create any TCP\/IP sockets/.test(said)) return { ...place, port: (await freePort(0))! }
  // Some file systems cannot hold Unix-domain sockets.
  if (place.socketDir && /could not create any Unix-domain sockets/.test(said))
    return { ...place, socketDir: undefined }
  // A killed server is still being cleared away: its pid is not reaped yet, or its last backends are ending.
  if (!/lock file .* already exists|shared memory block .* still in use/.test(said)) return undefined
  await sleep(200)
  return place
}

export async function stopServer(folder: Folder, launcher: Launcher): Promise<void> {
  for (const mode of ["fast", "immediate"]) {
    const { ok } = await launcher.run("pg_ctl", ["stop", "-m", mode, "-w", "-t", "60", "-s", "-D", folder.cluster])
    if (ok || !findPostmaster(folder.cluster)) return
  }
  throw new EmbeddedError(`the embedded PostgreSQL did not stop (log: ${folder.log})`)
}

function heldBy(folder: Folder): string {
  const pid = holderOfSocket(folder)
  return pid === undefined ? "" : `; process ${pid} is a PostgreSQL of this folder: stop it and try again`
}

const reason = (said: string): string | undefined =>
  said
    .split("\n")
    .find((line) => /FATAL|PANIC/.test(line))
    ?.replace(/^.*?(FATAL|PANIC):\s*/, "")

const logSize = (folder: Folder): number => (existsSync(folder.log) ? statSync(folder.log).size : 0)

function rotateLog(folder: Folder): void {
  if (logSize(folder) > MAX_LOG_BYTES) renameSync(folder.log, `${folder.log}.1`)
}

function readLog(folder: Folder, from: number): string {
  if (!existsSync(folder.log)) return ""
  const file = openSync(folder.log, "r")
  const buffer = Buffer.alloc(16_384)
  const length = readSync(file, buffer, 0, buffer.length, from)
  closeSync(file)
  return buffer.toString("utf8", 0, length)
}
