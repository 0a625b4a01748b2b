// Names that are as long as the engine allows and have no place to break: no screen is wider than its window.
import { expect } from "vitest"
import { isTooWide } from "./test-support/browser.ts"
import { engine, openAt, setUpBrowser, test } from "./test-support/browser-test.ts"

const LONG = "W".repeat(190)
let waiting: string
let failed: string

setUpBrowser({
  prepare: async () => {
    const id = `long-${LONG}`
    await engine.send("POST", "/v1/definitions", {
      id,
      name: LONG,
      description: LONG.repeat(5),
      inputSchema: { properties: { [LONG]: { type: "string", title: LONG, description: LONG } } },
      steps: [
        { id: "ask", name: LONG, type: "USER_TASK", assigneeGroup: LONG, form: { properties: {} }, nextStep: "work" },
        { id: "work", name: LONG, type: "SERVICE_TASK", jobType: LONG, nextStep: "end" },
        { id: "end", name: "End", type: "END" },
      ],
    })
    const start = async () => {
      const variables = { [LONG]: LONG.repeat(25) }
      const request = { definitionId: id, variables, businessKey: LONG }
      return (await engine.send<{ id: string }>("POST", "/v1/instances", request)).id
    }
    failed = await start()
    await engine.send("POST", `/v1/instances/${failed}/user-tasks/ask/complete`, {})
    const poll = { workerId: LONG, jobTypes: [LONG], waitSeconds: 5 }
    const { jobs } = await engine.send<{ jobs: { id: string }[] }>("POST", "/v1/jobs/poll", poll)
    const report = { workerId: LONG, retryable: false, errorMessage: LONG.repeat(50) }
    await engine.send("POST", `/v1/jobs/${jobs[0]?.id}/fail`, report)
    waiting = await start()
    await engine.send("POST", "/jobs", { type: LONG, payload: { a: LONG } })
  },
})

test("SEC-50: no screen is wider than its window, however long the names are", async () => {
  const { page, complaints } = await openAt("/ui/")
  const screens = {
    "": "Overview",
    instances: "Instances",
    [`instances/${failed}`]: LONG,
    [`instances/${failed}?panel=variables`]: LONG,
    [`instances/${failed}?panel=history`]: LONG,
    [`instances/${waiting}`]: LONG,
    definitions: "Definitions",
    [`definitions/long-${LONG}`]: LONG,
    [`upload?from=long-${LONG}`]: /./,
    queues: "Queues",
    "dead-letters": "Dead letters",
    "user-tasks": "User tasks",
    workers: "Workers",
  }
  const wide: string[] = []
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    for (const [path, title] of Object.entries(screens)) {
      await page.goto(`${engine.url}/ui/${path}`)
      await page.getByRole("heading", { level: 1, name: title }).waitFor()
      await page.waitForLoadState("load")
      await page.locator('[data-connection="live"]:visible').first().waitFor()
      if (await isTooWide(page)) wide.push(`${width}: /ui/${path.replaceAll(LONG, "…")}`)
    }
  }
  expect(wide).toEqual([])
  expect(complaints).toEqual([])
})
