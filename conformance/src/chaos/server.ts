// The PostgreSQL under test: embedded, fsync on, and killable as a whole: postmaster and every backend, by pid.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { findPostmaster } from "../../../engine/dist/db/embedded/postmaster.js"
import { type Embedded, startEmbedded } from "../../../engine/dist/db/embedded.js"

// Nobody writes the log but those who commit: a commit that does not wait for the disk is lost when the server is killed.
const SETTINGS = {
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  max_connections: 150,
  wal_writer_delay: "10s",
  wal_writer_flush_after: "1GB",
  wal_buffers: "64MB",
}

/** From the moment before it was killed to the one at which it answered again. */
export interface Cut {
  readonly from: number
  readonly until: number
}

export class Server {
  readonly #dataDir: string
  #embedded: Embedded | undefined
  readonly cuts: Cut[] = []

  constructor(folder: string) {
    this.#dataDir = join(folder, "database")
  }

  async start(): Promise<string> {
    this.#embedded = await startEmbedded({ dataDir: this.#dataDir, settings: SETTINGS })
    return this.#embedded.dsn
  }

  /** A power cut, then the same server on the same port again. */
  async cut(): Promise<void> {
    const from = Date.now()
    const postmaster = findPostmaster(join(this.#embedded?.dataDir ?? "", "postgres"))
    if (postmaster) for (const pid of [postmaster.pid, ...childrenOf(postmaster.pid)]) tryKill(pid)
    await this.#embedded?.stop()
    await this.start()
    this.cuts.push({ from, until: Date.now() })
  }

  async stop(): Promise<void> {
    await this.#embedded?.stop()
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => parentOf(pid) === parent)
    .map(Number)
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
  } catch {
    return 0
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // Gone already.
  }
}
