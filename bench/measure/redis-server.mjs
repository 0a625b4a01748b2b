// A Redis of the bench's own: Debian's redis-server on a free loopback port, which ends with this process.
import { spawn } from "node:child_process"
import { mkdtempSync, openSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { freePort } from "./free-port.mjs"
import { sleep, until } from "./wait.mjs"

export const REDIS = "redis-server"

/** `settings` as in redis.conf. Resolves once it takes connections. */
export async function startRedis(parentDirectory, settings) {
  const directory = mkdtempSync(join(parentDirectory, "redis-"))
  const port = await freePort()
  const options = { ...settings, port, bind: "127.0.0.1", dir: directory, save: "", daemonize: "no" }
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const log = openSync(join(directory, "log"), "w")
  const server = spawn("setpriv", ["--pdeathsig", "TERM", REDIS, ...flags], { stdio: ["ignore", log, log] })
  const exited = new Promise((resolve) => server.once("exit", resolve))
  await until(() => server.exitCode !== null || listens(port))
  if (server.exitCode !== null) throw new Error(`${REDIS} ended with ${server.exitCode}`)
  return {
    port,
    pid: server.pid,
    async stop() {
      server.kill("SIGTERM")
      await Promise.race([exited, sleep(5000)])
      if (server.exitCode === null) server.kill("SIGKILL")
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true))
    socket.once("error", () => resolve(false)).once("connect", () => socket.destroy())
  })
