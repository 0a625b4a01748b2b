// How the binaries are run: in a session of their own, with a clean environment, and never as root, which PostgreSQL refuses.
import { spawn, spawnSync } from "node:child_process"
import { chownSync, cpSync, existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Binaries } from "./binaries.ts"
import { EmbeddedError } from "./embedded-error.ts"

interface Finished {
  readonly ok: boolean
  readonly output: string
}

export interface Launcher {
  run(binary: "initdb" | "pg_ctl" | "postgres", args: readonly string[], stdin?: string): Promise<Finished>
  /** Lets the binaries read a file we made. */
  give(path: string): void
}

/** The way root is given up; `auto` takes the first that works here. Others exist so that tests reach them. */
export type RootMode = "auto" | "namespace" | "user"

interface Identity {
  readonly uid: number
  readonly gid: number
}

interface Plan {
  readonly bin: string
  readonly prefix: readonly string[]
  readonly identity?: Identity
}

const NAMESPACE = ["unshare", "--user", "--map-user=65534", "--map-group=65534", "--"] as const

export function createLauncher(binaries: Binaries, folder: string, mode: RootMode = "auto"): Launcher {
  const plan = choosePlan(binaries, folder, mode)
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", ...binaries.env }
  return {
    give: (path) => {
      if (plan.identity) chownSync(path, plan.identity.uid, plan.identity.gid)
    },
    run: (binary, args, stdin) => {
      const [file, ...rest] = [...plan.prefix, join(plan.bin, binary), ...args]
      // `detached` is setsid: Ctrl-C in the terminal reaches us and not the server, so that we can drain first.
      return finish(spawn(file!, rest, { cwd: folder, env, detached: true, stdio: "pipe", ...plan.identity }), stdin)
    },
  }
}

function finish(child: ReturnType<typeof spawn>, stdin = ""): Promise<Finished> {
  return new Promise((resolve, reject) => {
    let output = ""
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8_000)
    }
    child.stdout?.on("data", collect)
    child.stderr?.on("data", collect)
    child.stdin?.on("error", () => {}) // a program that fails early does not read its input
    child.stdin?.end(stdin)
    child.on("error", reject)
    child.on("close", (code) => resolve({ ok: code === 0, output }))
  })
}

function choosePlan(binaries: Binaries, folder: string, mode: RootMode): Plan {
  const bin = join(binaries.native, "bin")
  if (process.getuid?.() !== 0) return { bin, prefix: [] }
  // In a user namespace of its own the server sees itself as the user nobody. Outside it is root still, so that its files stay root's
  // and where they are.
  if (mode !== "user" && canUnshare()) {
    giveFolder(folder, { uid: 0, gid: 0 })
    return { bin, prefix: NAMESPACE }
  }
  const identity = findUser()
  if (!identity) {
    throw new EmbeddedError(
      "PostgreSQL does not run as root, and there is no user postgres or nobody to run it as; start millrace as another user",
    )
  }
  return { bin: reachableBinaries(binaries, folder, identity), prefix: [], identity }
}

const canUnshare = (): boolean =>
  spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), "true"], { stdio: "ignore" }).status === 0

function findUser(): Identity | undefined {
  const passwd = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : ""
  const lines = passwd.split("\n").map((line) => line.split(":"))
  const found = lines.find(([name]) => name === "postgres") ?? lines.find(([name]) => name === "nobody")
  return found ? { uid: Number(found[2]), gid: Number(found[3]) } : undefined
}

// The project may lie under a folder that only root can enter: then the binaries move into the data folder.
function reachableBinaries(binaries: Binaries, folder: string, identity: Identity): string {
  giveFolder(folder, identity)
  const can = (file: string, ...args: string[]) =>
    spawnSync(file, args, { ...identity, cwd: "/", stdio: "ignore" }).status === 0
  if (!can("test", "-w", folder)) {
    const advice = "choose a folder such as /var/tmp/millrace with WE_DATA_DIR, or start millrace as another user"
    throw new EmbeddedError(
      `PostgreSQL does not run as root, and its user (uid ${identity.uid}) cannot enter ${folder}: ${advice}`,
    )
  }
  const own = join(binaries.native, "bin")
  if (can(join(own, "postgres"), "--version")) return own
  const copy = join(folder, `binaries-${binaries.major}`)
  if (!existsSync(copy)) copyWhole(binaries.native, copy)
  giveFolder(copy, identity)
  return join(copy, "bin")
}

function copyWhole(from: string, to: string): void {
  const draft = `${to}.new`
  rmSync(draft, { recursive: true, force: true })
  cpSync(from, draft, { recursive: true, verbatimSymlinks: true })
  renameSync(draft, to)
}

function giveFolder(path: string, to: Identity): void {
  const stat = lstatSync(path, { throwIfNoEntry: false }) // a server that still runs removes files as we look
  if (!stat || stat.isSymbolicLink()) return
  if (stat.uid !== to.uid || stat.gid !== to.gid) chownSync(path, to.uid, to.gid)
  if (stat.isDirectory()) for (const name of readdirSync(path)) giveFolder(join(path, name), to)
}
