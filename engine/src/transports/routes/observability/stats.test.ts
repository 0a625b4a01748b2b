import { afterAll, beforeAll, expect, test } from "vitest"
import { service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { eventually } from "../../../test-support/mills.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

let server: TestServer
beforeAll(async () => {
  server = await createTestServer()
  await server.engine.upload(workflow("flow", [service("work")]))
})
afterAll(() => server.close())

const stats = async (query = "") => (await server.call(`GET /v1/stats${query}`)).body

test("C-122: what was started a moment ago is in the charts and in the rates", async () => {
  for (let n = 0; n < 3; n++) await drive(server.engine.kernel).start("flow")
  let highest = 0
  const inRates = async () => {
    const { rates } = (await server.call("GET /v1/overview")).body
    highest = Math.max(highest, rates.started)
    return highest
  }
  await eventually(inRates).toBe(0.75)
  const counts: number[] = (await stats()).series.started
  expect(counts.reduce((sum, n) => sum + n)).toBe(3)
})

test.each([
  ["", "PT15M", 450],
  ["?window=PT15M", "PT15M", 450],
  ["?window=PT1H", "PT1H", 360],
  ["?window=P1D", "P1D", 288],
])("%s: every list has as many values", async (query, window, length) => {
  const body = await stats(query)
  expect(body.window).toBe(window)
  expect([...new Set(Object.values<unknown[]>(body.series).map((values) => values.length))]).toEqual([length])
})

test.each(["PT5M", "15m", "", "PT15M&window=PT1H"])("window=%s: 400", async (window) => {
  const { status, body } = await server.call(`GET /v1/stats?window=${window}`)
  expect([status, body.details[0].path]).toEqual([400, "query.window"])
})

test("C-14: dashboards that ask every second leave no lines in the log", async () => {
  const before = server.lines.length
  for (const path of ["/v1/overview", "/v1/stats", "/v1/workers", "/v1/job-types"]) await server.call(`GET ${path}`)
  expect(server.lines.slice(before)).toEqual([])
})
