// The alert of a backlog: once per crossing, whoever leads, and told to a real server.
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createLogger } from "../../support/log.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../../test-support/database-clock.ts"
import { addJobs, endJobs, queueOf } from "../../test-support/live-jobs.ts"
import { noTerm } from "../../test-support/loops.ts"
import { gate } from "../../test-support/mills.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import { DepthFolder } from "../flow/fold-depths.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { takePulse, termProof } from "../upkeep/take-pulse.ts"
import { BacklogAlert } from "./alert-backlog.ts"

let database: { dsn: string; drop(): Promise<void> }
let bare: Kernel
let kernel: Kernel
let server: Server
let received: Record<string, unknown>[]
let statuses: number[]
let log: string[]
let steps: number
let alert: BacklogAlert

beforeAll(async () => {
  database = await createTestDatabase()
  bare = await createBareKernel(database.dsn)
  await stopClock(bare)
  steps = await queueOf(bare, "normal", "flow")
  server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      received.push(JSON.parse(body))
      response.writeHead(statuses.shift() ?? 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await bare.db.close()
  await database.drop()
})
beforeEach(async () => {
  received = []
  statuses = []
  log = []
  await bare.db.script(`truncate millrace.jobs, millrace.depth_deltas, millrace.depths, millrace.alerts;
    update millrace.gates set live = 0, shut = false`)
  const alertWebhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/s3cret`
  const write = (line: string) => void log.push(line)
  kernel = {
    ...bare,
    settings: { ...bare.settings, alertWebhook },
    log: createLogger({ level: "debug", destination: { write } }),
  }
  alert = new BacklogAlert(kernel, [0, 0])
})

/** As the meter does: what is not folded is not seen. */
async function check(by = alert): Promise<void> {
  await new DepthFolder(kernel).fold(noTerm)
  await by.check(noTerm)
  await by.settled()
}

const levels = () => log.map((line) => (JSON.parse(line) as { level: string }).level)

describe("B-16: more queued steps than allowed", () => {
  test("B-T8: 50 are none, 51 are one alert, and it names the number and asks for the bottleneck", async () => {
    await addJobs(kernel.db, steps, 50)
    await check()
    expect([received, log]).toEqual([[], []])
    await addJobs(kernel.db, steps, 1)
    await check()
    await check()
    expect(received).toEqual([
      {
        subject: "Workflow Queue Backup",
        message: expect.stringMatching(/^51 steps are pending, .*look for a bottleneck/),
        alert: "queued-steps",
        queued: 51,
        threshold: 50,
        raisedAt: expect.stringMatching(/^\d{4}-/),
      },
    ])
    expect(log).toHaveLength(1)
    expect(JSON.parse(log[0] ?? "")).toMatchObject({
      level: "warn",
      queued: 51,
      msg: expect.stringMatching(/^Workflow Queue Backup: 51 steps/),
    })
  })

  test("the threshold is a setting", async () => {
    kernel = { ...kernel, settings: { ...kernel.settings, alertQueuedSteps: 5 } }
    alert = new BacklogAlert(kernel, [])
    await addJobs(kernel.db, steps, 6)
    await check()
    expect(received).toMatchObject([{ queued: 6, threshold: 5 }])
  })

  test("again only after it fell to 80 % of the threshold", async () => {
    await addJobs(kernel.db, steps, 60)
    await check()
    await endJobs(kernel.db, steps, 19)
    await check()
    await addJobs(kernel.db, steps, 20)
    await check()
    expect(received).toHaveLength(1)
    await endJobs(kernel.db, steps, 21)
    await check()
    expect(await countRows(kernel.db, "alerts")).toBe(0)
    await addJobs(kernel.db, steps, 11)
    await check()
    expect(received.map(({ queued }) => queued)).toEqual([60, 51])
  })

  test("a new leader does not repeat it", async () => {
    await addJobs(kernel.db, steps, 51)
    await check()
    await check(new BacklogAlert(kernel, []))
    expect(received).toHaveLength(1)
  })

  test("two that look at once raise one", async () => {
    await addJobs(kernel.db, steps, 51)
    await new DepthFolder(kernel).fold(noTerm)
    const two = [alert, new BacklogAlert(kernel, [])]
    const bothThere = gate()
    let there = 0
    const together = async () => {
      if (++there === 2) bothThere.open()
      await bothThere.passed
    }
    await Promise.all(two.map((each) => each.check(together)))
    await Promise.all(two.map((each) => each.settled()))
    expect(received).toHaveLength(1)
  })

  test("F20: an old leader raises nothing", async () => {
    await takePulse(bare, "leader", 0)
    await addJobs(kernel.db, steps, 51)
    await new DepthFolder(kernel).fold(noTerm)
    await expect(alert.check(termProof("meter", 99))).rejects.toMatchObject({ code: "MR002" })
    expect([received, await countRows(kernel.db, "alerts")]).toEqual([[], 0])
  })

  test("standalone jobs, running steps and runs that sleep are no backlog", async () => {
    await addJobs(kernel.db, await queueOf(kernel, "normal"), 60)
    await addJobs(kernel.db, steps, 120)
    const some = (n: number) =>
      `seq in (select seq from millrace.jobs where queue_id = ${steps} and status = 'ready' limit ${n})`
    await kernel.db.script(`update millrace.jobs set status = 'held' where ${some(60)}`)
    await kernel.db.script(
      `update millrace.jobs set status = 'leased', lease_until = millrace.clock() where ${some(10)}`,
    )
    await check()
    expect(received).toEqual([])
  })
})

describe("B-16: telling", () => {
  test("three tries; then it is given up and said so, without the URL", async () => {
    statuses = [500, 500, 500]
    await addJobs(kernel.db, steps, 51)
    await check()
    await check()
    expect(received).toHaveLength(3)
    expect(levels()).toEqual(["warn", "error"])
    expect(log.join()).not.toContain("s3cret")
  })

  test("without a webhook the log is told", async () => {
    kernel = { ...kernel, settings: { ...kernel.settings, alertWebhook: undefined } }
    alert = new BacklogAlert(kernel)
    await addJobs(kernel.db, steps, 51)
    await check()
    expect([received, levels()]).toEqual([[], ["warn"]])
  })

  test("what a process that died has not told, the next leader tells, and a pulse makes it look", async () => {
    await addJobs(kernel.db, steps, 51)
    await new DepthFolder(kernel).fold(noTerm)
    const waits = async () => (await takePulse(bare, "leader", 0)).due.depthsWait
    expect(await waits()).toBe(false)
    await kernel.db.script(
      `insert into millrace.alerts (name, raised_at, detail) values ('queued-steps', millrace.clock(), '{"queued":51,"threshold":50}')`,
    )
    await check()
    expect([await waits(), received]).toEqual([false, []])
    await advanceClock(kernel, 30_001)
    expect(await waits()).toBe(true)
    await check()
    expect(received).toMatchObject([{ queued: 51 }])
    expect(await waits()).toBe(false)
  })

  test("a receiver that does not answer holds nobody up", async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const asked = new Promise<void>((resolve) => silent.once("request", () => resolve()))
    const alertWebhook = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    alert = new BacklogAlert({ ...kernel, settings: { ...kernel.settings, alertWebhook } }, [])
    await addJobs(kernel.db, steps, 51)
    await new DepthFolder(kernel).fold(noTerm)
    await alert.check(noTerm)
    await asked
    await alert.check(noTerm)
    expect(await countRows(kernel.db, "alerts", "told_at is null")).toBe(1)
    silent.closeAllConnections()
    silent.close()
    await alert.settled()
    expect(await countRows(kernel.db, "alerts", "told_at is not null")).toBe(1)
  })
})
