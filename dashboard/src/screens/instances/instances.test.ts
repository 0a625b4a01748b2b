import { describe, expect } from "vitest"
import { barriers, isTooWide, setTheme, takePicture } from "../../test-support/browser.ts"
import { complaints, engine, openAt, page, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { failJobs } from "../../test-support/fail-jobs.ts"
import { chip, chooseFilter, typeFilter } from "../../test-support/filter-chips.ts"

const EVIL = `<img src=x onerror="alert('key')">`
const INSTANCES = 60
const FAILED = 8

const definition = (id: string, jobType: string) => ({
  id,
  name: id,
  steps: [
    { id: jobType, name: jobType, type: "SERVICE_TASK", jobType, retryCount: 0, nextStep: "end" },
    { id: "end", name: "End", type: "END" },
  ],
})

const start = (n: number) =>
  engine.send("POST", "/v1/instances", {
    definitionId: n % 10 === 0 ? "refund" : "order",
    businessKey: n === 20 ? EVIL : `order-${n}`,
    variables: { n },
  })

setUpBrowser({
  path: "/ui/instances",
  prepare: async () => {
    await engine.send("POST", "/v1/definitions", definition("order", "charge"))
    await engine.send("POST", "/v1/definitions", definition("refund", "pay-back"))
    // The first and the last in their order, those between at once.
    for (let n = 1; n <= FAILED; n++) await start(n)
    await failJobs(engine, "charge", FAILED, ({ n }) => `card ${n} was declined ${EVIL}`)
    await Promise.all(Array.from({ length: INSTANCES - FAILED - 5 }, (_, at) => start(FAILED + 1 + at)))
    for (let n = INSTANCES - 4; n <= INSTANCES; n++) await start(n)
  },
})

const table = () => page.getByRole("table", { name: "Instances" })
const rows = () => table().locator("tbody").getByRole("row")
const search = () => new URL(page.url()).searchParams
const countOf = async (status: string) =>
  (await engine.get<{ total: number }>(`/v1/instances?status=${status}&pageSize=1`)).total

/** As somebody who opens the address anew. */
const open = async (query = "") => {
  await page.goto(`${engine.url}/ui/instances${query}`)
  await table().waitFor()
}

describe("the list", () => {
  test("of a status that there is not is refused, and not the list of all", async () => {
    const { page: other } = await openAt("/ui/instances?status=bogus")
    await other.getByText("must be one of ACTIVE, WAITING").first().waitFor()
    expect(await other.getByRole("table", { name: "Instances" }).count()).toBe(0)
    expect(await chip(other, "Status").innerText()).toContain("bogus")
    await other.close()
  })

  test("is newest first, says how many there are, and leads to an instance", async () => {
    await page.getByRole("heading", { name: `${INSTANCES} instances` }).waitFor()
    await expect.poll(() => rows().count()).toBe(50)
    expect(await rows().nth(1).innerText()).toContain("order-59")
    // A click beside the link is one on the row.
    await rows().nth(1).getByText("order", { exact: true }).click()
    await expect.poll(() => page.url()).toMatch(/\/ui\/instances\/[0-9A-Z]{26}$/)
    await page.goBack()
    await table().waitFor()
  })

  test("C-122: is paged by cursor; Previous, Back and a reload find the same page", async () => {
    await open()
    await page.getByRole("link", { name: "Next" }).click()
    await expect.poll(() => rows().count()).toBe(INSTANCES - 50)
    const second = page.url()
    await page.reload()
    await page.getByText("Page 2, the last").waitFor()
    await page.getByRole("link", { name: "Previous" }).click()
    await expect.poll(() => rows().count()).toBe(50)
    await page.goBack()
    await expect.poll(() => rows().count()).toBe(INSTANCES - 50)
    // Somebody it was sent to has no page before, only the first.
    const other = await openAt(second)
    await other.page.getByRole("link", { name: "First page" }).waitFor()
    expect(await other.page.getByRole("link", { name: "Previous" }).count()).toBe(0)
    await other.close()
  })

  test("C-122: filters are in the address and survive a reload", async () => {
    await open()
    await chooseFilter(page, "Status", "failed")
    await typeFilter(page, "Definition", "order")
    await page.getByRole("heading", { name: "8 instances" }).waitFor()
    await typeFilter(page, "Started after", "2025-01-01")
    await expect.poll(() => search().get("startedAfter")).toMatch(/^20.*Z$/)
    await page.reload()
    await page.getByRole("heading", { name: "8 instances" }).waitFor()
    await chip(page, "Status").getByText("failed").waitFor()
    await chip(page, "Definition").getByText("order").waitFor()
    await chip(page, "Started after").getByText("2025").waitFor()
    await page.goBack()
    await chip(page, "Started after").waitFor({ state: "detached" })
    await chip(page, "Definition").waitFor()
  })

  test("a filter is added, changed and removed by the keyboard alone", async () => {
    await open()
    await page.keyboard.press("f")
    const entries = page.getByRole("menu", { name: "Filters" })
    await entries.getByRole("menuitem", { name: "Status" }).waitFor()
    // The keys of the list behind the menu mean nothing in it: j is the first letter of no filter.
    for (const key of ["j", "ArrowDown", "ArrowUp", "Enter", "f", "Enter"]) await page.keyboard.press(key)
    await page.getByRole("heading", { name: `${FAILED} instances` }).waitFor()
    expect(search().get("status")).toBe("FAILED")
    await chip(page, "Status").press("Enter")
    const checked = page.getByRole("menuitemradio", { name: "failed" })
    await expect.poll(() => checked.evaluate((entry) => entry === document.activeElement)).toBe(true)
    await page.keyboard.press("Escape")
    await page.getByRole("menu").waitFor({ state: "detached" })
    expect(await chip(page, "Status").evaluate((one) => one === document.activeElement)).toBe(true)
    await page.keyboard.press("Delete")
    await page.getByRole("heading", { name: `${INSTANCES} instances` }).waitFor()
    expect(search().get("status")).toBeNull()
    const added = page.getByRole("button", { name: "Add filter" })
    expect(await added.evaluate((button) => button === document.activeElement)).toBe(true)
  })

  test("a range is in words, moves with the clock, and takes the place of moments", async () => {
    await open("?startedAfter=2025-01-01T00:00:00.000Z")
    await chip(page, "Started after").waitFor()
    await chooseFilter(page, "Started", "last hour")
    await chip(page, "Started after").waitFor({ state: "detached" })
    expect([...search().keys(), search().get("started")]).toEqual(["started", "1h"])
    await page.getByRole("heading", { name: `${INSTANCES} instances` }).waitFor()
    await page.goto(`${engine.url}/ui/instances?started=over-1h`)
    await page.getByText("No instance matches this filter.").waitFor()
    await chip(page, "Started").getByText("over 1 hour ago").waitFor()
  })

  test("text that is no date is told, and changes nothing", async () => {
    await open()
    await page.getByRole("button", { name: "Add filter" }).click()
    await page.getByRole("menuitem", { name: "Started before" }).click()
    await page.getByRole("textbox", { name: "Started before" }).fill("next week")
    await page.keyboard.press("Enter")
    await page.getByText("Write a date such as").waitFor()
    expect(search().get("startedBefore")).toBeNull()
  })

  test("a failure of standalone jobs is not offered, and nothing can be done to none", async () => {
    await engine.send("POST", "/jobs", { type: "alone", payload: {}, retries: 0 })
    const poll = { workerId: "worker-1", jobTypes: ["alone"], maxJobs: 1 }
    const { jobs } = await engine.send<{ jobs: { id: string; leaseToken: string }[] }>("POST", "/v1/jobs/poll", poll)
    for (const { id, leaseToken } of jobs) {
      const report = { workerId: "worker-1", leaseToken, retryable: false, errorMessage: "only a job" }
      await engine.send("POST", `/v1/jobs/${id}/fail`, report)
    }
    await open()
    await page.getByRole("button", { name: "Add filter" }).click()
    await page.getByRole("menuitem", { name: "Failure" }).click()
    const failures = page.getByRole("menu", { name: "Failure" }).getByRole("menuitemradio")
    await failures.first().waitFor()
    expect((await failures.allInnerTexts()).join()).not.toContain("only a job")
    await page.goto(`${engine.url}/ui/instances?businessKey=nobody`)
    await page.getByText("No instance matches this filter.").waitFor()
    for (const name of ["Retry matching", "Cancel matching"]) {
      const button = page.getByRole("button", { name })
      expect([await button.isDisabled(), await button.getAttribute("title")]).toEqual([
        true,
        "No instance matches the filter",
      ])
    }
  })

  test("C-122: a view is saved by name, opened after a reload, and forgotten after asking", async () => {
    await open("?status=FAILED&definitionId=order")
    await page.getByRole("button", { name: "Save view" }).click()
    await page.getByText("Kept in this browser.").waitFor()
    await page.getByLabel("Name", { exact: true }).fill(`Failed ${EVIL}`)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await open()
    await page.getByRole("link", { name: `Failed ${EVIL}` }).click()
    await page.getByRole("heading", { name: `${FAILED} instances` }).waitFor()
    expect(search().get("status")).toBe("FAILED")
    await page.getByRole("button", { name: `Forget the view Failed ${EVIL}` }).click()
    await page.getByRole("button", { name: "Forget it" }).click()
    await page.getByRole("link", { name: `Failed ${EVIL}` }).waitFor({ state: "detached" })
  })

  test("some views are always there", async () => {
    await open()
    const views = page.getByRole("navigation", { name: "Views" })
    await views.getByRole("link", { name: "Failing" }).click()
    await page.getByRole("heading", { name: `${FAILED} instances` }).waitFor()
    expect(await views.locator("[aria-current]").allInnerTexts()).toEqual(["Failing"])
    expect(await page.getByRole("button", { name: "Save view" }).count()).toBe(0)
    await views.getByRole("link", { name: "Last hour" }).click()
    await page.getByRole("heading", { name: `${INSTANCES} instances` }).waitFor()
    await views.getByRole("link", { name: "All" }).click()
    await expect.poll(() => [...search().keys()]).toEqual([])
  })

  test("a view in the storage that cannot be read does no harm", async () => {
    for (const stored of ["{", '[null,{"name":"Odd","filter":{"status":["x"],"started":"soon"}}]']) {
      await page.evaluate((text) => localStorage.setItem("millrace-instance-filters", text), stored)
      await open()
      await page.getByRole("heading", { name: `${INSTANCES} instances` }).waitFor()
    }
    await page.getByRole("link", { name: "Odd" }).click()
    await page.getByRole("heading", { name: `${INSTANCES} instances` }).waitFor()
    await page.evaluate(() => localStorage.clear())
  })

  test("SEC-50: keys and errors that look like markup stay text", async () => {
    await open("?status=FAILED")
    expect(await rows().first().innerText()).toContain(EVIL)
    await open(`?businessKey=${encodeURIComponent(EVIL)}`)
    await page.getByRole("link", { name: EVIL }).waitFor()
    expect(await page.locator("main img").count()).toBe(0)
  })

  test("a wrong filter in the address is told, not hidden", async () => {
    const other = await openAt("/ui/instances?startedAfter=yesterday")
    await other.page.getByText("must be a time").first().waitFor()
    await other.close()
  })

  test("j and k go through the rows, x selects, Enter opens", async () => {
    await open()
    for (const key of ["j", "j", "x", "j", "k"]) await page.keyboard.press(key)
    await page.getByRole("heading", { name: "1 selected" }).waitFor()
    expect(await page.getByRole("checkbox", { name: "Select order-59" }).isChecked()).toBe(true)
    await page.keyboard.press("Enter")
    await expect.poll(() => page.url()).toMatch(/\/ui\/instances\/[0-9A-Z]{26}$/)
  })
})

describe("doing something to many", () => {
  test("SEC-53: selected rows are cancelled after asking, with the reason", async () => {
    await open()
    await page.getByRole("checkbox", { name: "Select order-59" }).check()
    await page.getByRole("checkbox", { name: "Select order-58" }).check()
    await page.getByRole("button", { name: "Cancel 2 live" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("order-58 (order)").waitFor()
    await dialog.getByRole("button", { name: "Back" }).click()
    expect(await countOf("CANCELLED")).toBe(0)
    await page.getByRole("button", { name: "Cancel 2 live" }).click()
    await dialog.getByLabel("Reason").fill("ordered twice")
    await dialog.getByRole("button", { name: "Cancel 2 instances" }).click()
    await page.getByText("Cancelled 2 instances").waitFor()
    expect(await countOf("CANCELLED")).toBe(2)
    await rows().filter({ hasText: "order-58" }).getByText("ordered twice").waitFor()
  })

  test("selected rows that failed are retried at the step that failed", async () => {
    await open("?status=FAILED")
    await page.getByRole("checkbox", { name: "Select order-1", exact: true }).check()
    await page.getByRole("button", { name: "Retry 1 failed" }).click()
    await page.getByRole("button", { name: "Retry 1 instance" }).click()
    await page.getByRole("heading", { name: `${FAILED - 1} instances` }).waitFor()
    expect(await countOf("FAILED")).toBe(FAILED - 1)
  })

  test("one that is refused is named, and holds up no other", async () => {
    await open("?status=FAILED")
    for (const key of ["order-2", "order-3"])
      await page.getByRole("checkbox", { name: `Select ${key}`, exact: true }).check()
    const [taken] = (await engine.get<{ items: { id: string }[] }>("/v1/instances?businessKey=order-2")).items
    await engine.send("POST", `/v1/instances/${taken?.id}/steps/charge/retry`, {})
    await page.getByRole("button", { name: "Retry 2 failed" }).click()
    await page.getByRole("button", { name: "Retry 2 instances" }).click()
    await page.getByRole("dialog", { name: "1 instance could not be changed" }).getByText("order-2 (order)").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click()
    await page.getByRole("heading", { name: `${FAILED - 3} instances` }).waitFor()
  })

  test("C-122: all that match are retried: counted first, asked, and followed by the address", async () => {
    await open()
    expect(await page.getByRole("button", { name: "Retry matching" }).isDisabled()).toBe(true)
    await typeFilter(page, "Definition", "order")
    await page.getByRole("button", { name: "Retry matching" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText(`${FAILED - 3} instances can be retried.`).waitFor()
    await dialog.getByText("Definition: order").waitFor()
    expect(await countOf("FAILED")).toBe(FAILED - 3)
    await dialog.getByRole("button", { name: `Retry ${FAILED - 3} instances` }).click()
    await page.getByRole("heading", { name: `Retried ${FAILED - 3} instances` }).waitFor()
    expect(await countOf("FAILED")).toBe(0)
    // Whoever comes back to it sees what became of it.
    await page.reload()
    await page.getByText(`${FAILED - 3} of ${FAILED - 3} retried`).waitFor()
    expect(await page.getByRole("progressbar").getAttribute("aria-valuenow")).toBe(String(FAILED - 3))
    await page.getByRole("button", { name: "Dismiss" }).click()
    await expect.poll(() => search().get("bulk")).toBeNull()
    expect(search().get("definitionId")).toBe("order")
  })
})

test("where nothing matches, the way out is shown", async () => {
  await page.goto(`${engine.url}/ui/instances?businessKey=nobody`)
  await page.getByText("No instance matches this filter.").waitFor()
})

test("is accessible, in light and dark, on a wide and a narrow screen", async () => {
  await failJobs(engine, "charge", 7, ({ n }) => `card ${n} was declined: insufficient funds`)
  for (const theme of ["light", "dark"] as const) {
    await setTheme(page, theme)
    await open()
    await takePicture(page, `instances-${theme}`)
    await open("?status=FAILED")
    await rows().first().getByRole("checkbox").check()
    await expect.poll(() => barriers(page)).toEqual([])
  }
  await page.getByRole("button", { name: "Retry 1 failed" }).click()
  await expect.poll(() => barriers(page)).toEqual([])
  await page.keyboard.press("Escape")
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole("button", { name: "Add filter" }).click()
  await page.getByRole("menu", { name: "Filters" }).waitFor()
  await expect.poll(() => barriers(page)).toEqual([])
  await expect.poll(() => isTooWide(page)).toBe(false)
  await takePicture(page, "instances-narrow")
  // The one that was refused on purpose.
  expect(complaints.filter((text) => !/409.*\/v1\/instances\/\w+\/retry/.test(text))).toEqual([])
})
