// Faults of PostgreSQL itself, each on a server of its own: it is killed, loses a process, has no connection or no room left.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import type { Core } from "../../core.ts"
import { parseToken } from "../../model/jobs/reports.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { takeAllConnections } from "../../test-support/hogs.ts"
import { keepLedger, type Ledger, startKeyed } from "../../test-support/kept-ledger.ts"
import { type OwnServer, openCoreOn, startOwnServer } from "../../test-support/own-server.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import { heartbeatJob } from "../jobs/claim/heartbeat-job.ts"
import { examine } from "../upkeep/doctor.ts"
import { asEngineError } from "./run-operation.ts"

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open(server: OwnServer): Promise<Core> {
  closing.push(() => server.stop())
  const core = await openCoreOn(server.dsn)
  closing.push(() => core.stop())
  await uploadDefinition(core.kernel, { document: workflow("flow", [service("flow", "end"), end()]), actor: "local" })
  return core
}

const told = (work: Promise<unknown>): Promise<unknown> => work.catch(asEngineError)

/** What was accepted is there, what was completed has ended, and nothing is wrong. */
async function expectAll({ kernel }: Core, ledger: Ledger): Promise<void> {
  const rows = await kernel.db.script(`select id, status from millrace.finished_instances
    union all select id, status from millrace.instances`)
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  expect([...ledger.accepted.values()].filter((id) => !statuses.has(id))).toEqual([])
  expect([...ledger.completed].filter((id) => statuses.get(id) !== "COMPLETED")).toEqual([])
  expect(statuses.size).toBeLessThanOrEqual(ledger.accepted.size + LANES)
  expect(await examine(kernel, { kinds: ["state", "audit"] })).toEqual([])
}

const LANES = 6
/** Connections that a server of few has to give. */
const ROOM = 14
const untilMore = async (ledger: Ledger, count: number): Promise<void> => {
  const [accepted, completed] = [ledger.accepted.size, ledger.completed.size]
  await expect
    .poll(() => Math.min(ledger.accepted.size - accepted, ledger.completed.size - completed))
    .toBeGreaterThan(count)
}

test("F34, F33, S1, S2: killed three times under load, it comes back with all that was accepted, and with nothing twice", async () => {
  const server = await startOwnServer()
  const core = await open(server)
  const ledger = keepLedger(core.kernel, "flow", { producers: LANES })
  for (let round = 0; round < 3; round++) {
    await untilMore(ledger, 50)
    await server.kill()
    await server.restart()
  }
  await untilMore(ledger, 50)
  await ledger.stop()
  expect([...ledger.refusals]).toEqual(["unavailable"])
  await expectAll(core, ledger)
})

test("F16, S1, L4: one of its processes is killed, it restarts all of them, and the engine goes on", async () => {
  const server = await startOwnServer()
  const core = await open(server)
  const ledger = keepLedger(core.kernel, "flow", { producers: LANES })
  await untilMore(ledger, 50)
  const [row] = await server.ask(`select pid from pg_stat_activity
    where application_name = 'millrace' and pid <> pg_backend_pid() limit 1`)
  process.kill(Number(row?.pid), "SIGKILL")
  await expect.poll(() => ledger.refusals.size).toBe(1)
  await untilMore(ledger, 50)
  await expect.poll(() => core.healthy()).toBe(true)
  await ledger.stop()
  expect([...ledger.refusals]).toEqual(["unavailable"])
  await expectAll(core, ledger)
})

test("F40, L2, L4: with no connection left the engine goes on with those it has; without any it says try again, until there is room", async () => {
  const server = await startOwnServer({ max_connections: String(ROOM), superuser_reserved_connections: "0" })
  const core = await open(server)
  const worker = drive(core.kernel)
  await worker.start("flow")
  const job = await worker.claimOne("flow", 60_000)
  const beat = { jobId: job.id, workerId: "w1", token: parseToken(job.leaseToken), leaseMs: 120_000 }
  const hogs = await takeAllConnections(server.dsn)
  // All connections of the server may be in use for a moment.
  await expect.poll(() => heartbeatJob(core.kernel, beat)).toBeGreaterThan(job.lockExpiresAt)
  // The engine takes a connection again as soon as there is room: until it has none.
  while (hogs.length < ROOM) {
    await hogs[0]?.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'millrace'`)
    hogs.push(...(await takeAllConnections(server.dsn)))
  }
  expect(await told(startKeyed(core.kernel, "flow", "k"))).toMatchObject({ code: "unavailable" })
  await expect.poll(() => core.healthy()).toBe(false)
  for (const hog of hogs) await hog.end()
  await expect.poll(() => core.healthy()).toBe(true)
  expect(await worker.complete(job)).toBe("accepted")
})

// A file system of a fixed size takes the right to mount one, which few have: where it is missing there is no such test.
const canMount = Boolean(process.env.MILLRACE_FULL_TESTS) && mounts()
const testWhere = canMount ? test : () => undefined

testWhere(
  "F46, S1, L1: its disk is full: starts are refused, reads go on, and so does the work when there is room (needs root on Linux)",
  async () => {
    const disk = mountDisk(160)
    const server = await startOwnServer({ max_wal_size: "32MB", min_wal_size: "32MB" }, disk)
    const core = await open(server)
    const accepted = [await startKeyed(core.kernel, "flow", "first")]
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(join(disk, "filler"), Buffer.alloc(bavail * bsize))
    let refusal: unknown
    for (let n = 0; refusal === undefined; n++) {
      const answer = await told(startKeyed(core.kernel, "flow", `full-${n}`))
      if (typeof answer === "string") accepted.push(answer)
      else refusal = answer
    }
    expect(refusal).toMatchObject({ code: "unavailable", cause: { code: "53100" } })
    expect((await drive(core.kernel).get(accepted[0] as string)).status).toBe("ACTIVE")
    rmSync(join(disk, "filler"))
    accepted.push(await startKeyed(core.kernel, "flow", "after"))
    const rows = await core.kernel.db.script("select id from millrace.instances")
    expect(rows.map(({ id }) => id).toSorted()).toEqual(accepted.toSorted())
  },
)

// To stand between a server and its disk takes the right to trace processes of other users.
const STRACE = "/usr/bin/strace"
const canTrace = Boolean(process.env.MILLRACE_FULL_TESTS) && process.getuid?.() === 0 && existsSync(STRACE)
const testTraced = canTrace ? test : () => undefined

testTraced(
  "F47, S1, S2: nothing is accepted before it is flushed, however long that takes; a flush that fails restarts the server (needs root on Linux)",
  async () => {
    const server = await startOwnServer()
    const core = await open(server)
    await startKeyed(core.kernel, "flow", "before")
    const ledger = new Map<string, string>()
    const insist = async (key: string) => {
      await expect
        .poll(async () => ledger.set(key, String(await told(startKeyed(core.kernel, "flow", key)))).get(key))
        .toMatch(ID)
    }

    const hung = await tamper(await processesOf(server), "delay_enter=600000000")
    let isAnswered = false
    const slow = insist("slow").finally(() => (isAnswered = true))
    await expect.poll(() => server.ask("select from pg_stat_activity where wait_event = 'WalSync'")).not.toEqual([])
    expect(isAnswered).toBe(false)
    expect(await server.ask("select from millrace.instances")).toHaveLength(1)
    await hung.end()
    await slow

    const failing = await tamper(await processesOf(server), "error=EIO:when=1")
    expect(await told(startKeyed(core.kernel, "flow", "failed"))).toMatchObject({ code: "unavailable" })
    await failing.end()
    await insist("failed")
    const rows = await core.kernel.db.script("select id from millrace.instances")
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([...ledger.values()]))
    expect(rows).toHaveLength(3)
    expect(await examine(core.kernel, { kinds: ["state", "audit"] })).toEqual([])
  },
)

const ID = /^[0-9A-Z]{26}$/

/** The processes of a server that flush its log: those of its clients, and the one that writes in the background. */
async function processesOf(server: OwnServer): Promise<readonly number[]> {
  const rows = await server.ask(
    `select pid from pg_stat_activity where backend_type in ('client backend', 'walwriter') and pid <> pg_backend_pid()`,
  )
  return rows.map(({ pid }) => Number(pid))
}

/** Has something done to every flush to the disk of these processes, until it is ended. */
async function tamper(pids: readonly number[], how: string): Promise<{ end(): Promise<void> }> {
  const calls = "fdatasync,fsync"
  const tracer = spawn(
    STRACE,
    [
      "-qq",
      "-o",
      "/dev/null",
      "-e",
      `trace=${calls}`,
      "-e",
      `inject=${calls}:${how}`,
      ...pids.flatMap((pid) => ["-p", String(pid)]),
    ],
    { stdio: "ignore" },
  )
  const isTraced = (pid: number) => !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  await expect.poll(() => pids.every(isTraced)).toBe(true)
  const end = async () => {
    const ended = once(tracer, "exit")
    if (tracer.exitCode === null && tracer.kill()) await ended
  }
  closing.push(end)
  return { end }
}

function mountDisk(megabytes: number): string {
  const disk = mkdtempSync(join(tmpdir(), "millrace-disk-"))
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "none", disk], { stdio: "ignore" })
  closing.push(async () => unmount(disk))
  return disk
}

function unmount(disk: string): void {
  execFileSync("umount", [disk])
  rmSync(disk, { recursive: true })
}

function mounts(): boolean {
  try {
    unmount(mountDisk(1))
    closing.length = 0
    return true
  } catch {
    return false
  }
}
