// A real PgBouncer in front of the tests' PostgreSQL. `.ci/run` puts the versions where they are looked for here.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { steadyPort } from "./steady-port.ts"

/** By the release of Debian it is from: one that does not know prepared statements (1.18), one that does (1.24). */
export type PgBouncerRelease = "bookworm" | "trixie"

interface PgBouncerOptions {
  readonly release: PgBouncerRelease
  /** Lines of its section [pgbouncer], such as `pool_mode = transaction`. */
  readonly settings: readonly string[]
  /** More databases by name, with what differs: `dbname=millrace pool_mode=transaction`. */
  readonly aliases?: Readonly<Record<string, string>>
}

export interface PgBouncer {
  /** The given DSN, through the pooler. */
  through(dsn: string): string
  stop(): Promise<void>
}

export async function startPgBouncer({ release, settings, aliases = {} }: PgBouncerOptions): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-pgbouncer-"))
  const port = await steadyPort()
  const file = join(folder, "pgbouncer.ini")
  writeFileSync(file, configOf(new URL(inject("serverDsn")), { port, settings, aliases }), { mode: 0o644 })
  chmodSync(folder, 0o755)
  // PgBouncer refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = spawn(`/usr/local/lib/pgbouncer/${release}/pgbouncer`, [file], { stdio: "ignore", ...owner })
  await untilOpen(port, child)
  return {
    through(dsn) {
      const url = new URL(dsn)
      url.port = String(port)
      return url.toString()
    },
    async stop() {
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

interface Listening {
  readonly port: number
  readonly settings: readonly string[]
  readonly aliases: Readonly<Record<string, string>>
}

function configOf(server: URL, { port, settings, aliases }: Listening): string {
  const [user, password] = [server.username, server.password].map(decodeURIComponent)
  const place = `host=${server.hostname} port=${server.port} user=${user} password=${password}`
  return [
    "[databases]",
    ...Object.entries(aliases).map(([name, more]) => `${name} = ${place} ${more}`),
    `* = ${place}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "auth_type = any",
    "unix_socket_dir =",
    ...settings,
    "",
  ].join("\n")
}

async function untilOpen(port: number, child: ChildProcess): Promise<void> {
  child.on("error", () => {})
  while (!(await isOpen(port)))
    if (child.exitCode !== null || child.pid === undefined)
      throw new Error("PgBouncer did not start: is it where .ci/run puts it?")
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true))
    socket.on("error", () => resolve(false))
    socket.on("connect", () => socket.destroy())
  })
