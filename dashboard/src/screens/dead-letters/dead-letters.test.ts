import { describe, expect } from "vitest"
import { barriers, isTooWide, setTheme, takePicture } from "../../test-support/browser.ts"
import { complaints, engine, page, setUpBrowser, test, untilSaid } from "../../test-support/browser-test.ts"
import { failJobs } from "../../test-support/fail-jobs.ts"
import { chip, chooseFilter, typeFilter } from "../../test-support/filter-chips.ts"

const EVIL = `<img src=x onerror="alert('error')">`
const MAILS = 55

let instanceId: string

setUpBrowser({
  path: "/ui/dead-letters",
  prepare: async () => {
    await engine.send("POST", "/v1/definitions", {
      id: "order",
      name: "Order",
      steps: [
        { id: "charge", name: "Charge", type: "SERVICE_TASK", jobType: "charge-card", retryCount: 0, nextStep: "end" },
        { id: "end", name: "End", type: "END" },
      ],
    })
    const order = { definitionId: "order", variables: { note: EVIL }, businessKey: "order-77" }
    instanceId = (await engine.send<{ id: string }>("POST", "/v1/instances", order)).id
    await failJobs(engine, "charge-card", 1, () => `${EVIL} was declined\n    at charge (worker.js:7:1)`)
    const mails = Array.from({ length: MAILS }, (_, n) => ({ type: "mail", retries: 0, payload: { n, note: EVIL } }))
    await engine.send("POST", "/jobs/bulk", { jobs: mails })
    await failJobs(engine, "mail", 100, ({ n }) => `host 10.0.0.${n} is down`)
    await engine.send("POST", "/jobs", { type: "scan", retries: 0, payload: { page: 1 } })
    await failJobs(engine, "scan", 1, () => "out of paper")
  },
})

const groups = () => page.getByRole("table", { name: "Dead letters by error" })
const list = () => page.getByRole("table", { name: "Dead letters", exact: true })
const rows = () => list().locator("tbody").getByRole("row")
const panel = () => page.getByRole("region", { name: "Dead letter", exact: true })
const search = () => new URL(page.url()).searchParams
const left = async (query = "") => (await engine.get<{ items: object[] }>(`/queues/dlq?limit=200${query}`)).items.length

const open = async (query = "") => {
  await page.goto(`${engine.url}/ui/dead-letters${query}`)
  await page.getByRole("tab").first().waitFor()
}

describe("looking", () => {
  test("like errors are one row with their count, and lead to the list of them", async () => {
    const row = groups().getByRole("row").filter({ hasText: "is down" })
    await row.getByText(String(MAILS), { exact: true }).waitFor()
    await row.getByRole("link").click()
    await expect.poll(() => rows().count()).toBe(50)
    expect(search().get("failure")).toMatch(/^[0-9a-f]{16}$/)
    await page.reload()
    await chip(page, "Error").getByText("is down").waitFor()
  })

  test("an error tells what died of it, since when, and whether it goes on", async () => {
    await open()
    const row = (error: string) => groups().getByRole("row").filter({ hasText: error })
    await row("is down").getByText("mail", { exact: true }).waitFor()
    await row("was declined").getByText("order charge-card", { exact: true }).waitFor()
    expect(await row("is down").locator("svg path").getAttribute("d")).toContain("L")
    expect(await row("is down").getByText("of late").count()).toBe(1)
    expect(
      await row("is down")
        .getByTitle(/^From .* to /)
        .count(),
    ).toBe(1)
  })

  test("the list is paged by cursor and filtered by the address", async () => {
    await open("?view=list")
    await page.getByText(`${MAILS + 2} dead letters`).waitFor()
    await page.getByRole("link", { name: "Next" }).click()
    await expect.poll(() => rows().count()).toBe(MAILS + 2 - 50)
    await page.goBack()
    await expect.poll(() => rows().count()).toBe(50)
    await typeFilter(page, "Job type", "charge-card")
    await expect.poll(() => rows().count()).toBe(1)
    expect(search().get("type")).toBe("charge-card")
  })

  test("a range of time holds for the errors and for the list of one of them", async () => {
    await open()
    await chooseFilter(page, "Died", "last 24 hours")
    await groups().getByRole("row").filter({ hasText: "is down" }).getByRole("link").click()
    await expect.poll(() => rows().count()).toBe(50)
    expect(search().get("died")).toBe("24h")
    await open("?died=over-1h")
    await page.getByText("No dead letter matches this filter.").waitFor()
  })

  test("SEC-50: one is inspected with its stack, attempts and payload, all of it text", async () => {
    await open("?type=charge-card")
    await rows().first().click()
    await panel().getByText(`${EVIL} was declined`).first().waitFor()
    await panel().getByText("at charge (worker.js:7:1)").waitFor()
    await panel().getByText('"note": "<img src=x onerror').waitFor()
    expect(await panel().getByRole("table", { name: "Attempts" }).getByRole("row").nth(1).innerText()).toContain(
      "tester",
    )
    expect(await panel().getByRole("link", { name: "order-77" }).getAttribute("href")).toContain(instanceId)
    expect(await rows().first().getByRole("link", { name: "order-77" }).getAttribute("href")).toContain(instanceId)
    expect(await page.locator("main img").count()).toBe(0)
    const address = page.url()
    await page.keyboard.press("Escape")
    await expect.poll(() => panel().count()).toBe(0)
    await page.goto(address)
    await panel().getByText("not retryable").waitFor()
  })

  test("j and k look at one after the other", async () => {
    await open("?view=list")
    await list().waitFor()
    for (const key of ["j", "Enter"]) await page.keyboard.press(key)
    await panel().getByText("out of paper").first().waitFor()
    await page.keyboard.press("j")
    await panel().getByText("is down").first().waitFor()
    await page.keyboard.press("k")
    await panel().getByText("out of paper").first().waitFor()
  })
})

describe("doing something about one", () => {
  test("a replayed job goes back to its queue, and its replay knows its ancestor", async () => {
    await open("?type=scan")
    await rows().first().click()
    await page.keyboard.press("r")
    await page.getByText("full budget of retries, however full").waitFor()
    await page.getByRole("button", { name: "Replay it" }).click()
    const link = panel().getByRole("link", { name: /See the new job/ })
    const jobId = ((await link.getAttribute("href")) ?? "").split("/").at(-1) as string
    expect(await left("&type=scan")).toBe(0)
    const job = await engine.get<{ replay_of: string; status: string }>(`/jobs/${jobId}`)
    expect(job.status).toBe("PENDING")
    await failJobs(engine, "scan", 1, () => "out of paper again")
    await open(`?letter=${jobId}`)
    await panel().getByText("Replay of").waitFor()
    await panel().getByRole("link", { name: job.replay_of }).waitFor()
  })

  test("a replayed step goes on in its instance", async () => {
    await open("?type=charge-card")
    await rows().first().click()
    await panel().getByRole("button", { name: "Replay" }).click()
    await page.getByText("The step charge is retried").waitFor()
    await page.getByRole("button", { name: "Replay it" }).click()
    await panel().getByRole("link", { name: "See the instance" }).waitFor()
    expect(await engine.get(`/v1/instances/${instanceId}`)).toMatchObject({ status: "ACTIVE" })
  })

  test("SEC-53: discarding asks first", async () => {
    await open("?type=scan")
    await rows().first().click()
    await panel().getByRole("button", { name: "Discard" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("given up for good").waitFor()
    await page.keyboard.press("Escape")
    expect(await left("&type=scan")).toBe(1)
    await panel().getByRole("button", { name: "Discard" }).click()
    await dialog.getByRole("button", { name: "Discard it" }).click()
    await page.getByText("No dead letter matches this filter.").waitFor()
    expect(await left("&type=scan")).toBe(0)
  })
})

describe("doing something about many", () => {
  test("SEC-53: selected ones are discarded after asking", async () => {
    await open("?type=mail")
    for (const n of [0, 1]) await rows().nth(n).getByRole("checkbox").check()
    await page.getByRole("button", { name: "Discard 2" }).click()
    expect(await left("&type=mail")).toBe(MAILS)
    await page.getByRole("button", { name: "Discard 2 dead letters" }).click()
    await untilSaid(/Discarded 2 dead letters/)
    expect(await left("&type=mail")).toBe(MAILS - 2)
  })

  test("a whole error is replayed: counted first, asked, and followed until it is over", async () => {
    await open()
    await groups()
      .getByRole("button", { name: /^Replay all: host/ })
      .click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText(`${MAILS - 2} dead letters will be replayed.`).waitFor()
    expect(await left("&type=mail")).toBe(MAILS - 2)
    await dialog.getByRole("button", { name: `Replay ${MAILS - 2} dead letters` }).click()
    await page.getByRole("heading", { name: `Replayed ${MAILS - 2} dead letters` }).waitFor()
    await page.getByText("No dead letters. All is well.").waitFor()
    expect(await left()).toBe(0)
    expect(await failJobs(engine, "mail", 100, ({ n }) => `host 10.0.0.${n} is down`)).toBe(MAILS - 2)
  })

  test("discarding everything without a filter is not offered", async () => {
    await open("?view=list")
    await list().waitFor()
    expect(await page.getByRole("button", { name: "Discard all" }).isDisabled()).toBe(true)
    expect(await page.getByRole("button", { name: "Replay all" }).isDisabled()).toBe(false)
  })
})

test("is accessible, in light and dark, on a wide and a narrow screen", async () => {
  for (const type of ["send-invoice", "resize-image"]) {
    await engine.send("POST", "/jobs", { type, retries: 0, payload: { to: "ada@example.org", pages: 3 } })
    await failJobs(engine, type, 1, () => `Error: ${type} could not reach 10.0.0.7\n    at connect (net.js:12:3)`)
  }
  await open()
  await groups()
    .getByRole("link", { name: /resize-image/ })
    .waitFor()
  await expect.poll(() => barriers(page)).toEqual([])
  await takePicture(page, "dead-letters-by-error-light")
  await open("?view=list")
  await rows().first().click()
  await panel().getByText("at connect").waitFor()
  for (const theme of ["light", "dark"] as const) {
    await setTheme(page, theme)
    await expect.poll(() => barriers(page)).toEqual([])
    await takePicture(page, `dead-letters-${theme}`)
  }
  await page.setViewportSize({ width: 360, height: 740 })
  await expect.poll(() => isTooWide(page)).toBe(false)
  await page.keyboard.press("Escape")
  await page.getByRole("button", { name: "Add filter" }).click()
  await page.getByRole("menu", { name: "Filters" }).waitFor()
  await expect.poll(() => isTooWide(page)).toBe(false)
  expect(complaints).toEqual([])
})
