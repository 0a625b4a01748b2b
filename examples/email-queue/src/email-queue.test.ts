// The story of `npm start`, told to a test; and the classes of the load.
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Mill, millrace } from "millrace"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { follow } from "./follow.ts"
import { handlers, sendEmail } from "./handlers.ts"
import { CLASSES, classesOf, pick } from "./load/classes.ts"
import { runLoad } from "./load/run-load.ts"
import { submitAll } from "./submit-all.ts"

describe("the queue", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "email-queue-test-"))
  let mill: Mill
  beforeAll(async () => {
    mill = await millrace({ database: "embedded", dataDir, logLevel: "silent" })
  })
  afterAll(async () => {
    await mill.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test("D-22: emails are sent, reports made, and an unknown type is an error", async () => {
    const ids = await submitAll(mill)
    await mill.work(handlers, { concurrency: 1 })
    const order: string[] = []
    const jobs = await follow(mill, ids, ({ priority }) => order.push(priority))
    const of = (type: string) => jobs.filter((job) => job.type === type)
    expect(jobs).toHaveLength(8)
    // Nothing was claimed before all were there: the most urgent is the first to end.
    expect(order.slice(0, 2)).toEqual(["critical", "high"])
    expect(of("generate_report")).toMatchObject([{ status: "COMPLETED", result: { report_id: /^report-/ } }])
    expect(of("send_fax")).toMatchObject([{ status: "FAILED", error: "unknown type send_fax" }])
    const emails = of(sendEmail.name)
    for (const { status, payload, result, error } of emails) {
      if (payload.to === "nowhere") expect([status, error]).toEqual(["FAILED", "nowhere is no address"])
      else expect([status, result]).toEqual(["COMPLETED", { sent: true, to: payload.to }])
    }
    expect(emails.find(({ payload }) => payload.busyFor === 2)).toMatchObject({ retryCount: 2 })
  })
})

describe("D-F3: the load", () => {
  test("has its classes as often as their weights say", () => {
    const count = (name: string) => classesOf(60).filter((each) => each.name === name).length
    expect(CLASSES.map(({ name }) => [name, count(name)])).toEqual([
      ["legitimate", 30],
      ["burst", 10],
      ["mixed", 20],
    ])
  })

  test("and each its acts and priorities", () => {
    const shares = { normal: 6, high: 3, critical: 1 }
    const picked = Array.from({ length: 10 }, (_, at) => pick(shares, at / 10))
    expect(picked).toEqual([...Array(6).fill("normal"), ...Array(3).fill("high"), "critical"])
    expect(pick(shares, 1)).toBe("critical")
  })

  test("takes 202 and 503 for what they are, and anything else for a fault", async () => {
    let asked = 0
    const engine = createServer((request, response) => {
      request.resume()
      const isJob = request.method === "POST" && request.url === "/jobs"
      const status = !isJob ? 200 : asked++ % 2 === 0 ? 202 : 503
      const refusal = { error: "backpressure", message: "full", requestId: "r" }
      response.writeHead(status, { "content-type": "application/json" })
      response.end(JSON.stringify(status === 503 ? refusal : { id: "j", jobs: [], results: [] }))
    })
    await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`
    const tally = await runLoad({ url, users: 6, seconds: 0.5, workers: 0 })
    engine.closeAllConnections()
    engine.close()
    expect(tally.faults).toBe(0)
    expect(tally.lines(0.5).at(-1)).toMatch(
      /^[1-9]\d* jobs taken, [1-9]\d* refused because the queue was full, 0 other/,
    )
  })
})
