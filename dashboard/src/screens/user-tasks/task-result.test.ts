// A task that says what it must be completed with and has no form; and a variable that is longer than its line.
import { expect } from "vitest"
import { isTooWide, takePicture } from "../../test-support/browser.ts"
import { complaints, engine, openAt, page, setUpBrowser, test } from "../../test-support/browser-test.ts"

const outputSchema = {
  properties: { score: { type: "integer", title: "Score" }, note: { type: "string" } },
  required: ["score", "approved"],
}
const ask = { id: "ask", name: "Score by hand", type: "USER_TASK", outputSchema, nextStep: "end" }
const scoring = { id: "scoring", name: "Scoring", steps: [ask, { id: "end", name: "End", type: "END" }] }
const error = { reason: "the register does not know the customer", stepId: "score", tries: [1, 2, 3] }
const PHONE = { width: 390, height: 844 }

let taskId = ""

setUpBrowser({
  path: "/ui/user-tasks",
  prepare: async () => {
    await engine.send("POST", "/v1/definitions", scoring)
    await engine.send("POST", "/v1/instances", { definitionId: "scoring", variables: { error, amount: 900 } })
    const { items } = await engine.get<{ items: { id: string }[] }>("/v1/user-tasks")
    taskId = items[0]?.id ?? ""
  },
})

test("the address of a task opens it beside the list", async () => {
  await page.goto(new URL(`/ui/user-tasks/${taskId}`, engine.url).href)
  await page.getByRole("heading", { name: "Score by hand" }).waitFor()
  expect(new URL(page.url()).searchParams.get("task")).toBe(taskId)
})

test("without a form its fields are those that its result is held against, the required ones marked", async () => {
  const score = page.getByLabel(/^Score/)
  await score.waitFor()
  await page.getByLabel("note").waitFor()
  await page.getByLabel(/^approved/).waitFor()
  await page.getByRole("button", { name: "Complete", exact: true }).click()
  await expect.poll(() => score.getAttribute("aria-invalid")).toBe("true")
})

test("an object is one line of JSON, and whole when it is pressed, on a phone, too", async () => {
  const phone = await openAt(`/ui/user-tasks?task=${encodeURIComponent(taskId)}`, { viewport: PHONE })
  for (const [width, on] of [["wide", page] as const, ["phone", phone.page] as const]) {
    const line = on.getByRole("button", { name: "error, all of it" })
    await expect.poll(() => line.innerText()).toContain('"reason":"the register')
    expect(await line.getAttribute("aria-expanded")).toBe("false")
    await line.click()
    await on.getByRole("region", { name: "error", exact: true }).getByText(error.reason).waitFor()
    expect(await isTooWide(on)).toBe(false)
    await takePicture(on, `task-result-${width}`)
  }
  expect([...complaints, ...phone.complaints]).toEqual([])
})
