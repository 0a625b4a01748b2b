// Every row that is about an instance tells all its names, and what they mean is told where they stand.
import { expect } from "vitest"
import { barriers, isTooWide } from "../test-support/browser.ts"
import { complaints, engine, page, setUpBrowser, test } from "../test-support/browser-test.ts"
import { failJobs } from "../test-support/fail-jobs.ts"

const END = { id: "end", name: "End", type: "END" }
const service = (jobType: string) => [
  { id: jobType, name: jobType, type: "SERVICE_TASK", jobType, retryCount: 0, nextStep: "end" },
  END,
]
const ask = [{ id: "ask", name: "Ask", type: "USER_TASK", nextStep: "end" }, END]

async function takeIn(definitionId: string, steps: readonly object[]): Promise<void> {
  await engine.send("POST", "/v1/definitions", { id: definitionId, name: definitionId, steps })
  const headers = { "Idempotency-Key": `signup-${definitionId}`, "Content-Type": "application/json" }
  const address = `${engine.url}/v1/intake/${definitionId}?linkingId=user-4711`
  expect((await fetch(address, { method: "POST", headers, body: "{}" })).status).toBe(202)
}

setUpBrowser({
  path: "/ui/instances",
  prepare: async () => {
    await takeIn("declined", service("charge"))
    await failJobs(engine, "charge", 1, () => "declined")
    await takeIn("waiting", service("wait-for-me"))
    await takeIn("asked", ask)
  },
})

const open = (path: string) => page.goto(`${engine.url}/ui/${path}`)

test.each([
  ["instances", "asked"],
  ["jobs?status=ready", "waiting"],
  ["dead-letters?view=list", "declined"],
])("a row of %s has the key as its link and the linking id below it", async (path, definition) => {
  await open(path)
  const row = page
    .getByRole("row")
    .filter({ has: page.getByRole("link", { name: `signup-${definition}`, exact: true }) })
  await expect.poll(() => row.innerText()).toContain("linking id user-4711")
  await page.getByRole("columnheader").getByRole("button", { name: "Instance" }).click()
  const legend = page.locator("[popover]:popover-open")
  for (const name of ["Key", "Business key", "Linking id"])
    await legend
      .getByRole("term")
      .filter({ hasText: new RegExp(`^${name}$`) })
      .waitFor()
  await expect.poll(() => barriers(page)).toEqual([])
  await page.keyboard.press("Escape")
  await legend.waitFor({ state: "hidden" })
})

test("so has a task of the inbox, and the task itself tells each by its name", async () => {
  await open("user-tasks")
  const task = page.getByRole("list", { name: "Tasks" }).getByRole("button")
  await expect.poll(() => task.innerText()).toMatch(/signup-asked[\s\S]*linking id user-4711/)
  await task.click()
  const named = (name: string) => page.locator("main dl > div").filter({ hasText: new RegExp(`^${name}`) })
  await named("Key").getByText("signup-asked").waitFor()
  await named("Linking id").getByText("user-4711").waitFor()
})

test("so has what the find box suggests; none of it makes a phone scroll sideways", async () => {
  await page.getByRole("combobox", { name: /^Find/ }).fill("signup-w")
  await page.getByRole("option", { name: /^signup-waiting\s*key · waiting\s*linking id user-4711$/ }).waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  for (const path of ["instances", "jobs?status=ready", "dead-letters?view=list", "user-tasks"]) {
    await open(path)
    await page
      .getByText(/linking id user-4711/)
      .first()
      .waitFor()
    await expect.poll(() => isTooWide(page)).toBe(false)
  }
  expect(complaints).toEqual([])
})
