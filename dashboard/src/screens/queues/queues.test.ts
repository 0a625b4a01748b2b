import { describe, expect } from "vitest"
import { complaints, engine, openAt, page, setUpBrowser, test, untilSaid } from "../../test-support/browser-test.ts"
import { expectUsable } from "../../test-support/expect-usable.ts"

setUpBrowser({
  path: "/ui/queues",
  prepare: async () => {
    // A lease is no longer than the time that a job may take.
    const more = (n: number) => ({ payload: { n }, timeout: "PT1H" })
    const jobs = Array.from({ length: 30 }, (_, n) => ({ type: n < 20 ? "mail" : "image", ...more(n) }))
    await engine.send("POST", "/jobs/bulk", { jobs })
    await engine.send("POST", "/v1/jobs/poll", {
      workerId: "images-1",
      jobTypes: ["image"],
      maxJobs: 3,
      leaseSeconds: 3_600,
    })
  },
})

const button = (name: string) => page.getByRole("button", { name, exact: true })
const dialog = () => page.getByRole("dialog")
const MARKUP = `<img src=x onerror="alert('mail')">`

describe("weights", () => {
  const weights = () => engine.get<object>("/queues/weights")

  test("D-04: moving one moves no other, and they are saved only when they add up to 100", async () => {
    const slider = page.getByRole("slider", { name: "Share of critical, slider" })
    await slider.fill("70")
    expect(await page.getByLabel("critical", { exact: true }).inputValue()).toBe("70")
    expect(await page.getByLabel("high", { exact: true }).inputValue()).toBe("30")
    await page.getByText("Sum 110 – 10 too many").waitFor()
    expect(await button("Save weights").isDisabled()).toBe(true)
    await page.getByLabel("high", { exact: true }).fill("20")
    await page.getByText("Sum 100", { exact: true }).waitFor()
    await button("Save weights").click()
    await untilSaid(/Saved the weights/)
    expect(await weights()).toMatchObject({
      critical: 70,
      high: 20,
      normal: 10,
      source: "database",
      changed_by: "local",
    })
    await page
      .locator("form", { hasText: "Sum 100" })
      .getByText(/Changed by local/)
      .waitFor()
  })

  test("weights that another operator has changed meanwhile are not overwritten without a word", async () => {
    const form = page.locator("form", { hasText: "Of 100 claims" })
    await page.getByLabel("critical", { exact: true }).fill("75")
    await page.getByLabel("high", { exact: true }).fill("15")
    await engine.send("PATCH", "/queues/weights", { critical: 50, high: 40, normal: 10 })
    // The page learns of it by itself within some seconds, and its button does nothing from then on; a save before that is refused.
    await button("Save weights").evaluate((element) => (element as HTMLElement).click())
    await form.getByText(/critical 50, high 40, normal 10 hold now/).waitFor()
    expect(await weights()).toMatchObject({ critical: 50 })
    expect(await page.getByLabel("critical", { exact: true }).inputValue()).toBe("75")
    await form.getByRole("button", { name: "Keep mine" }).click()
    await button("Save weights").click()
    // Not before: the page forgets what is being edited when a save is over.
    await untilSaid(/Saved the weights/)
    expect(await weights()).toMatchObject({ critical: 75, high: 15 })
    await page.getByLabel("critical", { exact: true }).fill("70")
    await page.getByLabel("high", { exact: true }).fill("20")
    await button("Save weights").click()
    await untilSaid(/Saved the weights/)
    expect(await weights()).toMatchObject({ critical: 70, high: 20 })
  })

  test("D-06, SEC-53: going back to the configuration asks first", async () => {
    const reset = page.locator("form", { hasText: "Sum 100" }).getByRole("button", { name: "Reset to defaults" })
    await reset.click()
    await dialog().getByRole("button", { name: "Back" }).click()
    expect(await weights()).toMatchObject({ critical: 70 })
    await reset.click()
    await dialog().getByRole("button", { name: "Reset", exact: true }).click()
    await untilSaid(/Reset the weights/)
    expect(await weights()).toMatchObject({ critical: 60, source: "config" })
    expect(await page.getByLabel("critical", { exact: true }).inputValue()).toBe("60")
  })
})

describe("watermarks", () => {
  const low = () => page.getByLabel("Low mark of normal")
  const high = () => page.getByLabel("High mark of normal")

  test("D-T4: a low mark that is not below the high one is not saved; a mark that shuts the gate says so", async () => {
    await low().fill("10000")
    await page.getByText("Low: must be below the high mark.").waitFor()
    expect(await button("Save watermarks").isDisabled()).toBe(true)
    await low().fill("5")
    await high().fill("25")
    await page.getByText("Shut at this mark: 30 jobs are there already.").waitFor()
    await button("Save watermarks").click()
    await untilSaid(/Saved the watermarks/)
    await page.getByText("New normal jobs are refused until the depth is below 5.").waitFor()
    const marks = await engine.get<Record<string, { source: string }>>("/queues/watermarks")
    expect(marks.normal).toMatchObject({ high: 25, low: 5, source: "database", changed_by: "local" })
    expect(marks.critical?.source).toBe("config")
    await page
      .getByRole("group", { name: "normal" })
      .getByText(/Changed by local/)
      .waitFor()
  })
})

describe("pauses", () => {
  test("SEC-50, SEC-53: a priority is paused after asking, with a reason that is text, by whom and when", async () => {
    await button("Pause priority high").click()
    await dialog()
      .getByText(/All jobs of this priority/)
      .waitFor()
    await dialog().getByLabel("Reason").fill(MARKUP)
    await dialog().getByRole("button", { name: "Pause" }).click()
    await untilSaid("Paused priority high.")
    const row = page.getByRole("row", { name: /priority high/ })
    await row.getByText(MARKUP, { exact: true }).waitFor()
    await row.getByText("local").waitFor()
    const [pause] = (await engine.get<{ items: object[] }>("/v1/pauses")).items
    expect(pause).toMatchObject({ kind: "queue", name: "high", reason: MARKUP, pausedBy: "local" })
    await row.getByRole("button", { name: "Resume priority high" }).click()
    await dialog().getByRole("button", { name: "Resume" }).click()
    await untilSaid("Resumed priority high.")
    await page.getByText("Nothing is paused.").waitFor()
  })

  test("a definition is paused by its name", async () => {
    await button("Pause something…").click()
    await dialog().getByLabel("What").selectOption("definition")
    await dialog().getByLabel("Name").fill("hello")
    await dialog().getByRole("button", { name: "Pause" }).click()
    await page.getByRole("row", { name: /definition hello/ }).waitFor()
  })
})

describe("job types and downstreams", () => {
  test("the busiest job type is first; its timeout is changed, and says by whom", async () => {
    const table = page.getByRole("table", { name: /^Job types/ })
    await table.getByRole("row", { name: /mail 20 0 never/ }).waitFor()
    await table.getByRole("row", { name: /image 7 3/ }).waitFor()
    expect(await table.getByRole("row").nth(1).innerText()).toMatch(/^mail/)
    await button("Change timeout of mail").click()
    await dialog().getByLabel("Timeout", { exact: true }).fill("2")
    await dialog().getByLabel("Timeout, unit").selectOption("minutes")
    await dialog().getByRole("button", { name: "Save timeout" }).click()
    await table.getByRole("row", { name: /mail.*2 minutes.*Changed by local/ }).waitFor()
  })

  test("a downstream is given limits, and loses them after asking", async () => {
    await button("Limit a downstream…").click()
    await dialog().getByLabel("Name").fill("smtp")
    await dialog().getByLabel("Per second").fill("2.5")
    await dialog().getByLabel("At once").fill("4")
    await dialog().getByRole("button", { name: "Save limits" }).click()
    await untilSaid("Saved the limits of smtp.")
    await page.getByRole("row", { name: /smtp adaptive 0 of 2.5 0 of 4 0 Changed by local/ }).waitFor()
    expect(await engine.get("/v1/downstreams/smtp")).toMatchObject({ perSecond: 2.5, concurrency: 4, adaptive: true })
    await button("Remove limits of smtp").click()
    await dialog().getByRole("button", { name: "Remove limits" }).click()
    await untilSaid("Removed the limits of smtp.")
  })
})

describe("who may only look", () => {
  test("is shown no button that changes something", async () => {
    const reader = await openAt("about:blank")
    const session = { keyNeeded: true, signedIn: true, name: "reader", scopes: ["jobs:read", "metrics:read"] }
    await reader.page.route("**/v1/session", (route) => route.fulfill({ json: session }))
    await reader.page.goto(`${engine.url}/ui/queues`)
    await reader.page.getByRole("table", { name: /^Job types/ }).waitFor()
    expect(await reader.page.getByRole("main").getByRole("button").count()).toBe(0)
    expect(await reader.page.getByLabel("critical", { exact: true }).isDisabled()).toBe(true)
    await reader.close()
  })
})

test("C-122: it is usable by everybody, in light and dark, and on a phone", async () => {
  await page.reload()
  await page.getByRole("row", { name: /definition hello/ }).waitFor()
  await expectUsable(page, "queues")
  // The refusal of weights that another operator had changed.
  expect(complaints.filter((complaint) => !/409 .*\/queues\/weights/.test(complaint))).toEqual([])
})
