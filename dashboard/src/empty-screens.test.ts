// A screen on which nothing is yet teaches: it says what would be there, has code to copy for it, and a way on.
import { expect } from "vitest"
import { complaints, page, setUpBrowser, test } from "./test-support/browser-test.ts"

setUpBrowser({ path: "/ui/instances" })

test.each([
  ["instances", "No instance has been started yet.", "/v1/instances", "Choose a definition to start"],
  ["jobs", "No job waits for a worker.", "/jobs", "Enqueue one"],
  ["jobs?status=ended", "No standalone job has ended yet.", "/jobs", "Look at the jobs that wait"],
  ["user-tasks", "No task is open.", '"type": "USER_TASK"', "Choose a definition to start"],
  ["schedules", "Nothing is scheduled.", "millrace schedules create", "Make one here"],
  ["queues", "No job has named a downstream.", "millrace downstreams set", "Limit a downstream…"],
  ["events", "No sink is registered.", "mill.on(", undefined],
])("%s", async (path, title, code, action) => {
  await page.goto(new URL(`/ui/${path}`, page.url()).href)
  const card = page.locator("section", { hasText: title }).last()
  await card.getByText(title).waitFor()
  expect(await card.getByRole("region", { name: "example" }).innerText()).toContain(code)
  await card.getByRole("button", { name: "Copy example" }).waitFor()
  if (action !== undefined) {
    const wayOn = card.getByRole("button", { name: action }).or(card.getByRole("link", { name: action }))
    expect(await wayOn.count()).toBe(1)
  }
})

test("an engine on which nothing has run offers nothing to do to all instances", async () => {
  await page.goto(new URL("/ui/instances", page.url()).href)
  await page.getByText("No instance has been started yet.").waitFor()
  expect(await page.getByRole("button", { name: /matching/ }).count()).toBe(0)
  expect(complaints).toEqual([])
})
