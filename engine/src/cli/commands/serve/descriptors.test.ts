// `millrace start` in a process that may open no further file: no connection of a caller, and none to the database.
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { Agent, request } from "node:http"
import { connect, type Socket } from "node:net"
import { expect, test } from "vitest"
import { createTestDatabase } from "../../../test-support/test-engine.ts"
import { runTypeScript } from "../../../test-support/typescript-process.ts"

const CLI = new URL("../../../cli.ts", import.meta.url)
const PRLIMIT = "/usr/bin/prlimit"
const PORTS = { WE_REST_PORT: "0", WE_GRPC_PORT: "0", WE_METRICS_PORT: "0" }
/** How many files the process may open beyond those that it has. */
const ROOM = 5
const PLENTY = 1_024

const limitFiles = (pid: number, count: number): void =>
  void execFileSync(PRLIMIT, [`--pid=${pid}`, `--nofile=${count}:`])

/** Opens connections until one is closed by the other side unasked, or more are open than there is room for. */
async function fill(url: URL): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  for (let n = 0; n < 4 * ROOM; n++) {
    const socket = connect(Number(url.port), url.hostname)
    socket.on("error", () => {})
    sockets.push(socket)
    await Promise.race([once(socket, "connect"), once(socket, "close")])
  }
  return sockets
}

/** The body, and over which connection it came. */
async function ask(url: URL, agent: Agent): Promise<{ readonly status: number | undefined; readonly reused: boolean }> {
  const call = request(url, { agent })
  const answered = once(call, "response")
  call.end()
  const [response] = await answered
  response.resume()
  await once(response, "end")
  return { status: response.statusCode, reused: call.reusedSocket }
}

test.skipIf(!existsSync(PRLIMIT))(
  "F18: without a file descriptor left, calls on open connections are answered and the process stays up; with some again, so are new ones (Linux)",
  async () => {
    const database = await createTestDatabase()
    const { child, ended } = runTypeScript(CLI, ["start"], {
      WE_POSTGRES_DSN: database.dsn,
      DB_MAX_CONNS: "4",
      ...PORTS,
    })
    const url = new URL("/healthz", await restUrlOf(child.stdout))
    const open = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await ask(url, open)).toEqual({ status: 200, reused: false })

    const pid = child.pid as number
    limitFiles(pid, readdirSync(`/proc/${pid}/fd`).length + ROOM)
    const sockets = await fill(url)
    await expect(ask(url, new Agent())).rejects.toThrow()
    expect(await ask(url, open)).toEqual({ status: 200, reused: true })

    for (const socket of sockets) socket.destroy()
    limitFiles(pid, PLENTY)
    await expect.poll(() => ask(url, new Agent()).catch(() => undefined)).toMatchObject({ status: 200 })
    child.kill("SIGTERM")
    expect((await ended).code).toBe(0)
    await database.drop()
  },
)

async function restUrlOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = ""
  for await (const chunk of stream ?? []) {
    text += chunk
    const line = text.split("\n").find((one) => one.includes("millrace is running"))
    if (line) return JSON.parse(line).restUrl
  }
  throw new Error(`it ended: ${text}`)
}
