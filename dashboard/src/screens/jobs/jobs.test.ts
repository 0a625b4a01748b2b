import { expect } from "vitest"
import { complaints, engine, page, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { expectUsable } from "../../test-support/expect-usable.ts"
import { chip, chooseFilter, typeFilter } from "../../test-support/filter-chips.ts"

setUpBrowser({ path: "/ui/jobs" })

const enqueue = async (type: string, more: object = {}): Promise<string> =>
  (await engine.send<{ id: string }>("POST", "/jobs", { type, payload: {}, ...more })).id
const table = () => page.getByRole("table", { name: /^Jobs, / })
const rows = () => table().locator("tbody tr")
const rowsAre = (count: number) => expect.poll(() => rows().count()).toBe(count)
const tab = (name: string) => page.getByRole("tab", { name })

test("without jobs it says what would be here, and how to get one", async () => {
  await page.getByText("No job waits for a worker.").waitFor()
  await page.getByRole("button", { name: "Enqueue one" }).click()
  await page.getByRole("dialog").getByLabel("Job type").fill("note")
  await page.getByRole("dialog").getByRole("button", { name: "Enqueue" }).click()
  await page.getByRole("heading", { level: 1, name: "note" }).waitFor()
  await page.getByRole("navigation").getByRole("link", { name: "Jobs" }).last().click()
  await rowsAre(1)
})

test("jobs are paged through, and each status has its own facts", async () => {
  // A lease is no longer than the time that a job may take.
  for (let n = 0; n < 60; n++)
    await enqueue(n % 2 ? "mail" : "render", { priority: n % 3 ? "normal" : "high", timeout: "PT1H" })
  await page.getByRole("link", { name: "Next" }).click()
  await rowsAre(11)
  await page.getByRole("link", { name: "Previous" }).click()
  await rowsAre(50)
  const poll = { workerId: "mailer-1", jobTypes: ["mail"], maxJobs: 2, leaseSeconds: 1_800 }
  await engine.send("POST", "/v1/jobs/poll", poll)
  await tab("With workers").click()
  await rowsAre(2)
  expect(await rows().first().innerText()).toMatch(/mail\s+standalone.*mailer-1\s+in \d+ min\s+1$/s)
  await enqueue("later", { delay: "PT3H" })
  await tab("Delayed").click()
  await rows().getByText("in 3 h").waitFor()
})

test("a step's job says which instance it is of, by the key of the run or the business key", async () => {
  const steps = [
    { id: "charge", name: "Charge", type: "SERVICE_TASK", jobType: "charge-card", nextStep: "end" },
    { id: "end", name: "End", type: "END" },
  ]
  await engine.send("POST", "/v1/definitions", { id: "order", name: "Order", steps })
  await engine.send("POST", "/v1/instances", { definitionId: "order", variables: {}, businessKey: "order-77" })
  await page.goto(`${engine.url}/ui/jobs?jobType=charge-card`)
  await rows().getByRole("link", { name: "order-77" }).click()
  await page.waitForURL(/\/ui\/instances\/\w+/)
})

test("filters are in the address, and a type leads here from the queues and from the find box", async () => {
  await page.goto(`${engine.url}/ui/jobs?jobType=render&priority=high`)
  await rowsAre(10)
  await chip(page, "Job type").getByText("render").waitFor()
  await page.getByRole("button", { name: "Clear" }).click()
  await rowsAre(50)
  await page.getByLabel("Find a name, an id or a key").fill("later")
  await page.keyboard.press("Enter")
  await page.waitForURL(/\/ui\/jobs\?jobType=later/)
  await page.getByText("No such job matches this filter.").waitFor()
  await page.goto(`${engine.url}/ui/queues`)
  await page
    .getByRole("table", { name: /^Job types/ })
    .getByRole("link", { name: "render" })
    .click()
  await rowsAre(30)
})

test("the job of a step leads to its instance, by the keyboard alone", async () => {
  const steps = [
    { id: "walk", type: "SERVICE_TASK", name: "Walk", jobType: "walk", nextStep: "end" },
    { id: "end", type: "END", name: "End" },
  ]
  await engine.send("POST", "/v1/definitions", { id: "hike", name: "Hike", steps })
  const { id } = await engine.send<{ id: string }>("POST", "/v1/instances", { definitionId: "hike" })
  await page.goto(`${engine.url}/ui/jobs?jobType=walk`)
  await rows().getByText("hike · walk").waitFor()
  await page.keyboard.press("j")
  await page.keyboard.press("Enter")
  await page.waitForURL(new RegExp(`/ui/instances/${id}`))
})

test("jobs that have ended are listed, filtered by how they ended, opened with their attempts, and run again", async () => {
  const work = async (jobType: string, how: "complete" | "fail", report: object = {}) => {
    const poll = { workerId: "printer-1", jobTypes: [jobType], maxJobs: 1, leaseSeconds: 60 }
    const { jobs } = await engine.send<{ jobs: { id: string; leaseToken: string }[] }>("POST", "/v1/jobs/poll", poll)
    const { id, leaseToken } = jobs[0]!
    await engine.send("POST", `/v1/jobs/${id}/${how}`, { workerId: "printer-1", leaseToken, ...report })
  }
  const id = await enqueue("print", { payload: { pages: 3 }, retries: 1, retry: "immediate" })
  await work("print", "fail", { errorMessage: "out of paper", retryable: true })
  await work("print", "complete")
  await engine.send("POST", `/jobs/${await enqueue("print")}/cancel`, { reason: "not needed" })
  await page.goto(`${engine.url}/ui/jobs?jobType=print`)
  await tab("Ended").click()
  await rowsAre(2)
  await chooseFilter(page, "Ended as", "completed")
  await rowsAre(1)
  await page.waitForURL(/as=COMPLETED/)
  await rows().getByRole("link").click()
  const attempts = page.getByRole("table", { name: /^Attempts/ }).locator("tbody tr")
  await expect.poll(() => attempts.count()).toBe(2)
  expect(await attempts.nth(1).innerText()).toMatch(/1\s+failed\s+out of paper\s+printer-1/)
  await page.getByRole("button", { name: "Run again" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Run again" }).click()
  await page.getByText("Replay of").waitFor()
  await page.getByRole("link", { name: id }).waitFor()
  await page.getByRole("region", { name: "payload" }).getByText("3").waitFor()
})

test("standalone jobs are found by the beginning of their key, live and ended", async () => {
  for (const n of [1, 2]) await enqueue("load", { key: `import-${n}` })
  await enqueue("load", { key: "export-1" })
  const ended = await enqueue("load", { key: "import-0" })
  await engine.send("POST", `/jobs/${ended}/cancel`, {})
  await page.goto(`${engine.url}/ui/jobs`)
  await typeFilter(page, "Key prefix", "import-")
  await rowsAre(2)
  await page.waitForURL(/keyPrefix=import-/)
  expect(await rows().first().innerText()).toContain("import-1")
  await tab("Ended").click()
  await rowsAre(1)
  await rows().getByRole("link", { name: "import-0" }).waitFor()
  await page.goto(`${engine.url}/ui/jobs?keyPrefix=nothing-`)
  await page.getByText("No such job matches this filter.").waitFor()
})

test("C-122: it is usable by everybody, in light and dark, and on a phone", async () => {
  await page.goto(`${engine.url}/ui/jobs`)
  await rowsAre(50)
  await expectUsable(page, "jobs")
  // The find box asks whether something is a definition before it asks whether it is a job type.
  expect(complaints.filter((complaint) => !complaint.includes("/v1/definitions/later"))).toEqual([])
})
