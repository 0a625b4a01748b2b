import { describe, expect } from "vitest"
import { complaints, engine, page, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { expectUsable } from "../../test-support/expect-usable.ts"

setUpBrowser({
  path: "/ui/schedules",
  prepare: async () => {
    const put = (id: string, schedule: object) => engine.send("PUT", `/v1/schedules/${id}`, schedule)
    await put("nightly-report", {
      cron: "30 2 * * *",
      timezone: "Europe/Berlin",
      definitionId: "hello",
      input: { name: "Ada" },
    })
    await put("refresh-prices", { cron: "*/5 * * * *", jobType: "refresh", overlap: "queue", enabled: false })
  },
})

describe("schedules", () => {
  test("one runs by hand, and its runs say what became of it", async () => {
    // A double click is one click.
    await page.getByRole("button", { name: "Run now: nightly-report" }).dblclick()
    await page.getByText("Ran nightly-report").first().waitFor()
    const runs = await engine.get<{ items: object[] }>("/v1/schedules/nightly-report/runs")
    expect(runs.items).toHaveLength(1)
    await page.getByRole("button", { name: "Runs of nightly-report" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("started", { exact: true }).waitFor()
    await dialog.getByText("hand", { exact: true }).waitFor()
    await dialog.getByRole("button", { name: "Close" }).click()
  })

  test("a row is two lines high, and all that can be done with it is seen at 1280 px, also when it has run", async () => {
    const table = page.getByRole("region", { name: "Schedules" })
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    const row = page.getByRole("row", { name: /nightly-report/ })
    await row.getByText("started", { exact: true }).waitFor()
    expect((await row.boundingBox())?.height).toBeLessThan(56)
  })

  test("one is made with a form that says what is wrong, changed, switched off and deleted after asking", async () => {
    await page.getByRole("button", { name: "New schedule" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Id").fill("weekly")
    await dialog.getByLabel("Cron expression").fill("every week")
    await dialog.getByLabel("Definition").fill("hello")
    await dialog.getByLabel("Variables (JSON)").fill('{"name": ')
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true)
    await dialog.getByLabel("Variables (JSON)").fill('{"name": "Grace"}')
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect.poll(() => dialog.getByLabel("Cron expression").getAttribute("aria-invalid")).toBe("true")
    await dialog.getByLabel("Cron expression").fill("0 9 * * 1")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "hidden" })
    expect(await engine.get("/v1/schedules/weekly")).toMatchObject({
      cron: "0 9 * * 1",
      input: { name: "Grace" },
      enabled: true,
    })

    await page.getByRole("button", { name: "Switch off: weekly" }).click()
    await page.getByRole("button", { name: "Switch on: weekly" }).waitFor()
    expect(await engine.get("/v1/schedules/weekly")).toMatchObject({ enabled: false, input: { name: "Grace" } })

    await page.getByRole("button", { name: "Delete weekly" }).click()
    await page.keyboard.press("Escape")
    expect(await engine.get("/v1/schedules/weekly")).toMatchObject({ id: "weekly" })
    await page.getByRole("button", { name: "Delete weekly" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByRole("button", { name: "Delete weekly" }).waitFor({ state: "hidden" })
    await expect(engine.get("/v1/schedules/weekly")).rejects.toThrow("404")
  })

  test("what cannot start is said to have failed, in the list and when it is run by hand", async () => {
    await engine.send("PUT", "/v1/schedules/orphan", { cron: "0 0 1 1 *", definitionId: "nope" })
    await page.getByRole("button", { name: "Run now: orphan" }).click()
    await page.getByText("orphan could not run: there is no definition nope").waitFor()
    await page
      .getByRole("row", { name: /orphan/ })
      .getByText("failed", { exact: true })
      .waitFor()
    await engine.send("DELETE", "/v1/schedules/orphan")
    await page.getByRole("button", { name: "New schedule" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Id").fill("orphan")
    await dialog.getByLabel("Definition").fill("nope")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByRole("alert").getByText("There is no definition nope").waitFor()
    await page.keyboard.press("Escape")
  })

  test("it is readable for everybody, on any screen, and complains of nothing", async () => {
    await page.reload()
    await page.getByRole("row", { name: /nightly-report/ }).waitFor()
    await expectUsable(page, "schedules")
    // A refused schedule is a refused request, and the browser says so.
    expect(complaints.filter((one) => !/40[04]/.test(one))).toEqual([])
  })
})
