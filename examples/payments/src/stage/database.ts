// The database: yours where DATABASE_URL names one, else an embedded PostgreSQL in a folder of this run.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Member } from "./member.ts"
import { databasePlan } from "./plans.ts"

export class EmbeddedDatabase {
  readonly #dataDir: string
  readonly #holder: Member

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    this.#holder = new Member(databasePlan(dataDir))
  }

  async start(): Promise<void> {
    await this.#holder.start()
  }

  get url(): string {
    const content = (name: string) => readFileSync(join(this.#dataDir, name), "utf8").trim()
    return `postgres://millrace:${content("password")}@127.0.0.1:${content("port")}/millrace`
  }

  /** A power cut: the server and all its backends at once. */
  async kill(): Promise<void> {
    const server = Number(readFileSync(join(this.#dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
    for (const pid of [server, ...childrenOf(server)]) tryKill(pid)
    await this.#holder.kill()
  }

  stop(): Promise<void> {
    return this.#holder.stop()
  }
}

function childrenOf(parent: number): number[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n")
  return rows.map((row) => row.trim().split(/\s+/).map(Number)).flatMap(([pid = 0, of]) => (of === parent ? [pid] : []))
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended already.
  }
}
