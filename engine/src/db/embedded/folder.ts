// The data folder: what lies where, private to its owner, and never mixed with other files.
import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { EmbeddedError, onFolder } from "./embedded-error.ts"

export interface Folder {
  readonly root: string
  /** The PostgreSQL data directory. */
  readonly cluster: string
  readonly log: string
  readonly passwordFile: string
  readonly portFile: string
  /** Undefined where the path is too long for a socket address. */
  readonly socketDir: string | undefined
  /** Links to libraries, only when the package's own folder is read-only. */
  readonly libraries: string
}

const OURS = /^(postgres|password|port|socket|libraries|binaries-\d+|server\.log|owner\.json)/
const MAX_SOCKET_PATH = 100 // the kernel allows 104 to 108 bytes

export function openFolder(dataDir: string): Folder {
  const path = resolve(dataDir)
  // pg_ctl hands the path to a shell in double quotes.
  if (/["$`\\\n\r]/.test(path))
    throw new EmbeddedError(`data folder ${JSON.stringify(path)} cannot be used: its path holds a quote, $ or \\`)
  const root = onFolder(path, () => makePrivate(path))
  const socketDir = join(root, "socket")
  const fits = Buffer.byteLength(join(socketDir, ".s.PGSQL.65535")) < MAX_SOCKET_PATH && !/['%]/.test(root)
  if (fits) onFolder(root, () => mkdirSync(socketDir, { recursive: true, mode: 0o700 }))
  return {
    root,
    cluster: join(root, "postgres"),
    log: join(root, "server.log"),
    passwordFile: join(root, "password"),
    portFile: join(root, "port"),
    socketDir: fits ? socketDir : undefined,
    libraries: join(root, "libraries"),
  }
}

function makePrivate(path: string): string {
  makeFolder(path)
  const names = readdirSync(path)
  if (names.length > 0 && !names.some((name) => OURS.test(name))) {
    throw new EmbeddedError(`data folder ${path} holds other files; choose an empty or new folder with WE_DATA_DIR`)
  }
  chmodSync(path, 0o700)
  return realpathSync(path)
}

// Not `recursive: true`: node spins for ever where mkdir answers ENOENT although the parent exists, as under /proc.
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}
