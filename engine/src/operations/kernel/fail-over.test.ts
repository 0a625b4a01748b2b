// A standby takes over from its primary: what is kept, what is lost, and what callers are told. Each test has two servers of its own.
import dns from "node:dns"
import { connect, createServer } from "node:net"
import { afterEach, describe, expect, test, vi } from "vitest"
import type { Core } from "../../core.ts"
import { parseToken } from "../../model/jobs/reports.ts"
import { keepIncarnation } from "../../store/events/outbox.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { keepLedger, startKeyed } from "../../test-support/kept-ledger.ts"
import { openCoreOn, type Pair, startPair } from "../../test-support/own-server.ts"
import { createSeverableProxy, type SeverableProxy } from "../../test-support/severable-proxy.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import { examine } from "../upkeep/doctor.ts"
import { asEngineError } from "./run-operation.ts"

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Stage {
  readonly pair: Pair
  readonly proxy: SeverableProxy
  readonly core: Core
  /** The primary dies, its standby takes over, and the address leads there. */
  failOver(): Promise<void>
}

async function setStage(confirms: boolean, env: Record<string, string> = {}): Promise<Stage> {
  const pair = await startPair({ confirms })
  closing.push(() => Promise.all([pair.primary.stop(), pair.standby.stop()]))
  const proxy = await createSeverableProxy(pair.primary.dsn)
  closing.push(() => proxy.close())
  const core = await openCoreOn(proxy.dsn, env)
  closing.push(() => core.stop())
  for (const name of ["flow", "kept", "lost"]) {
    const document = workflow(name, [service(name, "end"), end()])
    await insist(() => uploadDefinition(core.kernel, { document, actor: "local" }))
  }
  return {
    pair,
    proxy,
    core,
    failOver: async () => {
      await pair.primary.kill()
      await proxy.sever()
      await pair.promote()
      proxy.aim(pair.standby.dsn)
      await proxy.heal()
    },
  }
}

const namesOf = (findings: readonly { name: string }[]): string[] => findings.map(({ name }) => name)
const told = (work: Promise<unknown>): Promise<unknown> => work.catch(asEngineError)
const unavailable = { code: "unavailable" }

/** Tries again, as a caller does after an error that asks for it. */
async function insist<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      expect(asEngineError(error)).toMatchObject(unavailable)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

const startMany = ({ kernel }: Core, name: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => insist(() => startKeyed(kernel, name, `${name}-${n}`))))

const liveIds = async ({ kernel }: Core): Promise<unknown[]> =>
  (await insist(() => kernel.db.script("select id from millrace.instances order by id"))).map(({ id }) => id)

/** The doctor says that the server is another; when that is answered, nothing is wrong. */
async function expectSound({ kernel }: Core): Promise<void> {
  expect(namesOf(await examine(kernel))).toEqual(["movedOutbox"])
  await keepIncarnation(kernel.db)
  expect(namesOf(await examine(kernel))).toEqual([])
}

/** Ten seconds each. */
const isShort = !process.env.MILLRACE_FULL_TESTS

describe.skipIf(isShort)("a standby that confirms every commit", () => {
  test("F36, S1, L4: it takes over under load: nothing that was accepted is lost, and callers are told to try again", async () => {
    const { core, failOver } = await setStage(true)
    const ledger = keepLedger(core.kernel, "flow")
    await expect.poll(() => Math.min(ledger.accepted.size, ledger.completed.size)).toBeGreaterThan(200)
    expect([...ledger.refusals]).toEqual([])
    await failOver()
    const [accepted, completed] = [ledger.accepted.size, ledger.completed.size]
    await expect.poll(() => ledger.accepted.size - accepted).toBeGreaterThan(100)
    await expect.poll(() => ledger.completed.size - completed).toBeGreaterThan(100)
    await ledger.stop()
    expect([...ledger.refusals]).toEqual(["unavailable"])
    const rows = await core.kernel.db.script(`select id, status from millrace.finished_instances
      union all select id, status from millrace.instances`)
    const statuses = new Map(rows.map(({ id, status }) => [id, status]))
    expect([...ledger.accepted.values()].filter((id) => !statuses.has(id))).toEqual([])
    expect([...ledger.completed].filter((id) => statuses.get(id) !== "COMPLETED")).toEqual([])
    await expectSound(core)
  })

  test("F37, S2: a commit whose wait for it is cancelled is not told as accepted, and counts once when it is sent again", async () => {
    const { pair, core } = await setStage(true)
    await pair.standby.kill()
    await expect.poll(() => pair.primary.ask("select from pg_stat_replication")).toEqual([])
    const settled = vi.fn()
    const first = told(startKeyed(core.kernel, "kept", "unsure")).finally(settled)
    while (settled.mock.calls.length === 0)
      await pair.primary.ask("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")
    expect(await first).toMatchObject(unavailable)
    await pair.standby.restart()
    const id = await insist(() => startKeyed(core.kernel, "kept", "unsure"))
    expect(await liveIds(core)).toEqual([id])
  })

  test("F39, S1, S7: it takes over while the old primary is still up, which accepts nothing from then on", async () => {
    // Two calls below wait for as long; before them a statement may take as long on a slow machine.
    const { pair, core } = await setStage(true, { DB_STATEMENT_TIMEOUT: "12s" })
    const [id] = await startMany(core, "kept", 1)
    const job = await drive(core.kernel).claimOne("kept")
    await pair.promote()
    expect(await told(startKeyed(core.kernel, "kept", "split"))).toMatchObject(unavailable)
    expect(await told(drive(core.kernel).complete(job))).toMatchObject(unavailable)
    const other = await openCoreOn(pair.standby.dsn)
    closing.push(() => other.stop())
    expect(await liveIds(other)).toEqual([id])
  })
})

describe.skipIf(isShort)("a standby that is behind", () => {
  test("F35, S5, S10: what it has not heard of is gone, no more and no less; the doctor says so, and work goes on", async () => {
    const { pair, core, failOver } = await setStage(false)
    const worker = drive(core.kernel)
    const kept = await startMany(core, "kept", 20)
    await pair.untilCaughtUp()
    await pair.cutStream()
    await startMany(core, "lost", 20)
    expect(await worker.complete(await worker.claimOne("kept"))).toBe("accepted")
    await failOver()
    expect(await liveIds(core)).toEqual(kept.toSorted())
    const again = await startMany(core, "lost", 20)
    expect(await liveIds(core)).toEqual([...kept, ...again].toSorted())
    for (const name of ["kept", "lost"])
      for (let done = 0; done < 20; done++)
        expect(await insist(async () => worker.complete(await worker.claimOne(name)))).toBe("accepted")
    expect(await liveIds(core)).toEqual([])
    await expectSound(core)
  })

  test("F38, S7: it gives out an epoch again, and the token of before is stale", async () => {
    const { pair, core, failOver } = await setStage(false)
    const [before, after] = [drive(core.kernel, "before"), drive(core.kernel, "after")]
    await startMany(core, "kept", 1)
    await pair.untilCaughtUp()
    await pair.cutStream()
    const held = await before.claimOne("kept")
    await failOver()
    const job = await insist(() => after.claimOne("kept"))
    expect(parseToken(job.leaseToken)?.epoch).toBe(parseToken(held.leaseToken)?.epoch)
    expect(await before.complete(held)).toBe("stale")
    expect(await after.complete(job)).toBe("accepted")
  })

  test("F35, F42: before it is promoted it takes no writes: callers are told to try again", async () => {
    const { pair, proxy, core } = await setStage(false)
    await pair.untilCaughtUp()
    await proxy.sever()
    proxy.aim(pair.standby.dsn)
    await proxy.heal()
    for (let n = 0; n < 10; n++)
      expect(await told(startKeyed(core.kernel, "kept", "read-only"))).toMatchObject(unavailable)
    await pair.primary.kill()
    await pair.promote()
    const id = await insist(() => startKeyed(core.kernel, "kept", "read-only"))
    expect(await liveIds(core)).toEqual([id])
  })
})

/** Another address of this machine. */
const ELSEWHERE = "127.0.0.2"

test.skipIf(isShort || process.platform !== "linux")(
  "F32, L4: the name of the server leads to another address, and the engine goes on there (Linux)",
  async () => {
    const pair = await startPair({ confirms: true })
    closing.push(() => Promise.all([pair.primary.stop(), pair.standby.stop()]))
    const dsn = new URL(pair.primary.dsn)
    const restore = leadName("postgres.millrace.test", () => (isMoved ? ELSEWHERE : "127.0.0.1"))
    closing.push(async () => restore())
    let isMoved = false
    dsn.hostname = "postgres.millrace.test"
    const core = await openCoreOn(dsn.toString())
    closing.push(() => core.stop())
    const document = workflow("kept", [service("kept", "end"), end()])
    await uploadDefinition(core.kernel, { document, actor: "local" })
    const [id] = await startMany(core, "kept", 1)
    await pair.primary.kill()
    await pair.promote()
    closing.push(await forward(Number(dsn.port), pair.standby.dsn))
    isMoved = true
    expect(await liveIds(core)).toEqual([id])
    await expect.poll(() => core.healthy()).toBe(true)
  },
)

/** What the system says of this name, until it is called. */
function leadName(name: string, addressOf: () => string): () => void {
  const { lookup } = dns
  const mocked = vi.spyOn(dns, "lookup") as unknown as { mockImplementation(work: unknown): void; mockRestore(): void }
  mocked.mockImplementation((host: string, options: { all?: boolean }, done: (...answer: unknown[]) => void) => {
    if (host !== name) return lookup(host, options as never, done as never)
    const found = { address: addressOf(), family: 4 }
    queueMicrotask(() => (options.all ? done(null, [found]) : done(null, found.address, found.family)))
  })
  return () => mocked.mockRestore()
}

/** A port of the other address that leads to this server. */
async function forward(port: number, dsn: string): Promise<() => Promise<void>> {
  const { hostname, port: behind } = new URL(dsn)
  const server = createServer((client) => {
    const database = connect(Number(behind), hostname)
    client.pipe(database).pipe(client)
    for (const [here, there] of [
      [client, database],
      [database, client],
    ] as const)
      here.on("error", () => there.destroy()).on("close", () => there.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, ELSEWHERE, resolve))
  return async () => void server.close()
}
