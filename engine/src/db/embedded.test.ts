import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import pg from "pg"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { makeServerFolder } from "../test-support/memory-folder.ts"
import { findBinaries } from "./embedded/binaries.ts"
import { createLauncher } from "./embedded/launcher.ts"
import { isAlive, processIdentity } from "./embedded/processes.ts"
import { type Embedded, startEmbedded } from "./embedded.ts"

const built = fileURLToPath(new URL("../../dist/db/embedded.js", import.meta.url))
const throwAway = { fsync: "off", shared_buffers: "16MB" }

/** A cluster that was made once: most tests are about what comes after initdb, which takes a second. */
const seed = makeServerFolder("mr-seed-")
let base: string
let dataDir: string
const running = new Set<Embedded>()
const children = new Set<ChildProcess>()

beforeAll(async () => {
  const server = await startEmbedded({ dataDir: seed, settings: throwAway })
  await server.stop()
})
afterAll(() => rmSync(seed, { recursive: true, force: true }))

beforeEach(() => {
  base = makeServerFolder("mr-")
  dataDir = join(base, "data")
})

afterEach(async () => {
  for (const server of running) await server.stop()
  running.clear()
  for (const child of children) child.kill("SIGKILL")
  children.clear()
  // A test that failed half-way may have left a server without an owner.
  const pid = postmasterPid()
  if (pid && isAlive(pid)) process.kill(pid, "SIGINT")
  rmSync(base, { recursive: true, force: true })
})

const useSeed = (): void => cpSync(seed, dataDir, { recursive: true })

async function start(options: Partial<Parameters<typeof startEmbedded>[0]> = {}): Promise<Embedded> {
  const server = await startEmbedded({ dataDir, settings: throwAway, ...options })
  running.add(server)
  return server
}

async function query(dsn: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: dsn })
  await client.connect()
  try {
    return Object.values((await client.query(sql)).rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}

function postmasterPid(folder = dataDir): number | undefined {
  const file = join(folder, "postgres", "postmaster.pid")
  return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : undefined
}

const mode = (path: string): number => statSync(path).mode & 0o777

/** Another node process that owns the server until it is killed. */
async function startOther(): Promise<ChildProcess> {
  useSeed()
  const script = `import { startEmbedded } from ${JSON.stringify(built)}
    const server = await startEmbedded(${JSON.stringify({ dataDir, settings: throwAway })})
    console.log("up"); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] })
  children.add(child)
  await once(child.stdout!, "data")
  return child
}

describe("the embedded PostgreSQL", () => {
  test("starts, keeps its data over a restart, and leaves no process behind", async () => {
    const first = await start({ settings: {} })
    expect(await query(first.dsn, "SELECT current_setting('server_version_num')::int / 10000")).toBe(18)
    const durable =
      "SELECT current_setting('fsync') || current_setting('synchronous_commit') || current_setting('server_encoding')"
    expect(await query(first.dsn, durable)).toBe("ononUTF8")
    await query(first.dsn, "CREATE TABLE kept AS SELECT 42 AS n")
    const pid = postmasterPid()!
    await first.stop()
    expect(isAlive(pid)).toBe(false)
    expect(existsSync(join(dataDir, "owner.json"))).toBe(false)

    const second = await start()
    expect(second.reattached).toBe(false)
    expect(second.port).toBe(first.port)
    expect(await query(second.dsn, "SELECT n FROM kept")).toBe(42)
  })

  test("is private: folder 0700, password file 0600, no entry without the password, loopback only", async () => {
    const server = await start()
    expect([dataDir, server.passwordFile, join(dataDir, "socket"), join(dataDir, "postgres")].map(mode)).toEqual([
      0o700, 0o600, 0o700, 0o700,
    ])
    expect(await query(server.tcpDsn, "SELECT current_setting('listen_addresses')")).toBe("127.0.0.1")
    for (const dsn of [server.dsn, server.tcpDsn]) {
      await expect(query(dsn.replace(/:[^:@]*@/, ":guess@"), "SELECT 1")).rejects.toMatchObject({ code: "28P01" })
    }
  })

  test("takes settings of its caller", async () => {
    useSeed()
    const server = await start({ settings: { ...throwAway, application_name: "it's \\ me" } })
    expect(await query(server.dsn, "SELECT current_setting('work_mem')")).toBe("4MB")
    expect(readFileSync(join(dataDir, "postgres", "postgresql.conf"), "utf8")).toContain(
      "application_name = 'it''s \\\\ me'",
    )
  })

  test("uses loopback when the folder's path is too long for a socket", async () => {
    dataDir = join(base, "d".repeat(100))
    useSeed()
    const server = await start()
    expect(server.dsn).toBe(server.tcpDsn)
    expect(await query(server.dsn, "SELECT 1")).toBe(1)
  })

  test("takes another port when its own was taken meanwhile", async () => {
    useSeed()
    const first = await start()
    await first.stop()
    const squatter = createServer().listen(first.port, "127.0.0.1")
    await once(squatter, "listening")
    const second = await start()
    expect(second.port).not.toBe(first.port)
    expect(await query(second.tcpDsn, "SELECT 1")).toBe(1)
    squatter.close()
  })
})

describe("after a crash", () => {
  test("a server whose owner was killed is taken over, data and all", async () => {
    const other = await startOther()
    const pid = postmasterPid()!
    other.kill("SIGKILL")
    await once(other, "exit")
    expect(isAlive(pid)).toBe(true)
    const server = await start()
    expect(server.reattached).toBe(true)
    expect(postmasterPid()).toBe(pid)
    expect(await query(server.dsn, "SELECT 1")).toBe(1)
    await server.stop()
    expect(isAlive(pid)).toBe(false)
  })

  test("a second owner is refused in one line while the first lives", async () => {
    const other = await startOther()
    const refusal = new RegExp(`^data folder .* is already in use by process ${other.pid}; .*WE_DATA_DIR$`)
    await expect(start()).rejects.toThrow(refusal)
    other.kill("SIGKILL")
  })

  test("the same process is refused too, and the folder is free again after stop", async () => {
    useSeed()
    const first = await start()
    await expect(start()).rejects.toThrow(/in use by this process/)
    await first.stop()
    await start()
  })

  test("a killed server leaves nothing that blocks the next start", async () => {
    const other = await startOther()
    const pid = postmasterPid()!
    other.kill("SIGKILL")
    await once(other, "exit")
    process.kill(pid, "SIGKILL")
    const server = await start()
    expect(server.reattached).toBe(false)
    expect(await query(server.dsn, "SELECT 1")).toBe(1)
  })

  test("a pid file and an owner file whose pids belong to other programs by now are stale", async () => {
    useSeed()
    const first = await start()
    await first.stop()
    writeFileSync(join(dataDir, "postgres", "postmaster.pid"), `${process.pid}\n${dataDir}\n1\n5432\n\n\n\nready\n`)
    writeFileSync(join(dataDir, "owner.json"), JSON.stringify({ pid: process.pid, identity: "an earlier boot" }))
    expect((await start()).reattached).toBe(false)
  })

  test("the lock of a socket whose pid belongs to another program by now is stale", async () => {
    useSeed()
    const { port, stop } = await start()
    await stop()
    const stranger = spawn("sleep", ["600"])
    children.add(stranger)
    const lock = join(dataDir, "socket", `.s.PGSQL.${port}.lock`)
    writeFileSync(lock, `${stranger.pid}\n${dataDir}/postgres\n1\n${port}\n`)
    const server = await start()
    expect([server.reattached, server.port]).toEqual([false, port])
    expect(await query(server.dsn, "SELECT 1")).toBe(1)
    expect(isAlive(stranger.pid as number)).toBe(true)
  })

  test("an initdb that was killed in the middle leaves nothing half-made", async () => {
    mkdirSync(join(dataDir, "postgres.new-1"), { recursive: true })
    writeFileSync(join(dataDir, "postgres.new-1", "PG_VERSION"), "18")
    await start()
    expect(existsSync(join(dataDir, "postgres.new-1"))).toBe(false)
  })
})

describe("one clear line", () => {
  test("for a folder of another version, which stays as it was", async () => {
    mkdirSync(join(dataDir, "postgres"), { recursive: true })
    writeFileSync(join(dataDir, "postgres", "PG_VERSION"), "16\n")
    await expect(start()).rejects.toThrow(/^data folder .* was made by PostgreSQL 16, this is PostgreSQL 18: .*$/)
    expect(existsSync(join(dataDir, "owner.json"))).toBe(false)
  })

  test("for a path that is a file, lies in one, or cannot be written", async () => {
    writeFileSync(join(base, "file"), "")
    await expect(start({ dataDir: join(base, "file") })).rejects.toThrow(/cannot be used: .*not a folder/)
    await expect(start({ dataDir: join(base, "file", "x") })).rejects.toThrow(/cannot be used: .*not a folder/)
    await expect(start({ dataDir: "/proc/nowhere" })).rejects.toThrow(/^data folder \/proc\/nowhere cannot be used/)
  })

  test("for a folder that holds somebody else's files", async () => {
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, "thesis.tex"), "")
    await expect(start()).rejects.toThrow(/holds other files/)
  })

  test("for a path a shell would read", async () => {
    await expect(start({ dataDir: join(base, "$(id)") })).rejects.toThrow(/cannot be used/)
  })

  test("for a password file that is gone", async () => {
    useSeed()
    await (await start()).stop()
    rmSync(join(dataDir, "password"))
    await expect(start()).rejects.toThrow(/password of the embedded database is missing/)
  })
})

describe.runIf(process.getuid?.() === 0)("as root", () => {
  test("drops to an existing user where namespaces are refused, and back again", async () => {
    chmodSync(base, 0o755)
    const first = await start({ rootMode: "user" })
    await query(first.dsn, "CREATE TABLE kept AS SELECT 7 AS n")
    expect(statSync(join(dataDir, "postgres")).uid).not.toBe(0)
    await first.stop()
    const second = await start()
    expect(await query(second.dsn, "SELECT n FROM kept")).toBe(7)
  })

  test("takes the binaries into the data folder when that user cannot reach them", async () => {
    const { native, major } = findBinaries(join(base, "libraries"))
    const hidden = join(base, "hidden")
    mkdirSync(hidden, { mode: 0o700 })
    cpSync(native, join(hidden, "native"), { recursive: true, verbatimSymlinks: true })
    chmodSync(base, 0o755)
    mkdirSync(dataDir)
    const launcher = createLauncher({ native: join(hidden, "native"), major, env: {} }, dataDir, "user")
    expect(await launcher.run("postgres", ["--version"])).toMatchObject({
      ok: true,
      output: expect.stringContaining("PostgreSQL) 18"),
    })
  })

  test("says so when that user cannot enter the folder", async () => {
    await expect(start({ rootMode: "user" })).rejects.toThrow(
      /^PostgreSQL does not run as root, and its user \(uid \d+\) cannot enter .*$/,
    )
  })
})

test("the identity of a process tells it from a later one with the same pid", () => {
  expect(processIdentity(process.pid)).toBe(processIdentity(process.pid))
  expect(processIdentity(process.pid)).not.toBe(processIdentity(process.ppid))
  expect(processIdentity(2 ** 22 + 1)).toBeUndefined()
})
