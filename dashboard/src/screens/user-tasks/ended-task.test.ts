// A task ends while a person fills its form: the page says that the input was not taken and why, and keeps it.
import type { Route } from "playwright-core"
import { describe, expect } from "vitest"
import { barriers } from "../../test-support/browser.ts"
import { engine, page, setUpBrowser, test } from "../../test-support/browser-test.ts"

setUpBrowser({ path: "/ui/user-tasks" })

const form = {
  properties: {
    approved: { type: "boolean", title: "Approved" },
    reason: { type: "string", title: "Reason" },
  },
  required: ["approved"],
}

/** A task of a definition of its own, open on the page. */
async function openOne(name: string): Promise<{ readonly id: string; readonly taskId: string }> {
  const approve = { id: "approve", name: "Approve", type: "USER_TASK", assigneeGroup: name, form, nextStep: "end" }
  const steps = [approve, { id: "end", name: "End", type: "END" }]
  await engine.send("POST", "/v1/definitions", { id: name, name, steps })
  const { id } = await engine.send<{ id: string }>("POST", "/v1/instances", { definitionId: name, variables: {} })
  const { items } = await engine.get<{ items: { id: string }[] }>(`/v1/user-tasks?group=${name}`)
  const taskId = items[0]?.id as string
  await page.goto(`${engine.url}/ui/user-tasks?group=${name}&task=${taskId}`)
  await page.getByLabel("Reason").waitFor()
  return { id, taskId }
}

const completeAs = (completedBy: string, instanceId: string) =>
  engine.send("POST", `/v1/instances/${instanceId}/user-tasks/approve/complete`, {
    completedBy,
    variables: { approved: false },
  })

/** The page reads no task until it is let: it would learn by itself of what another person does. */
async function holdReads(): Promise<() => Promise<void>> {
  const held: Route[] = []
  let isHeld = true
  await page.route("**/v1/user-tasks**", async (route) => {
    if (isHeld) held.push(route)
    else await route.continue()
  })
  return async () => {
    isHeld = false
    await Promise.all(held.map((route) => route.continue()))
    await page.unroute("**/v1/user-tasks**")
  }
}

const answer = async (reason: string): Promise<void> => {
  await page.getByLabel("Reason").fill(reason)
  await page.getByRole("group", { name: "Approved" }).getByLabel("Yes").check()
}
const complete = () => page.getByRole("button", { name: "Complete", exact: true }).click()
const input = () => page.getByRole("region", { name: "your input" })

describe("a task that ends while its form is filled", () => {
  test("who answers after another person is told that it was not taken, and keeps the words", async () => {
    const { id, taskId } = await openOne("overtaken")
    await answer("typed for nothing")
    const letRead = await holdReads()
    await completeAs("paul", id)
    const refused = page.waitForResponse(/\/complete$/)
    await complete()
    expect((await refused).ok()).toBe(false)
    await letRead()
    await page.getByText("Your input was not taken: the task had ended before.").waitFor()
    await page.getByText("by paul").waitFor()
    expect(await input().innerText()).toContain("typed for nothing")
    await page.getByRole("button", { name: "Copy your input" }).waitFor()
    await expect.poll(() => barriers(page)).toEqual([])
    expect(await engine.get(`/v1/user-tasks/${taskId}`)).toMatchObject({ status: "COMPLETED", completedBy: "paul" })
  })

  test("one that is cancelled says why, and keeps what was typed", async () => {
    const { id } = await openOne("withdrawn")
    await page.getByLabel("Reason").fill("half a sentence")
    await engine.send("POST", `/v1/instances/${id}/cancel`, { reason: "customer left" })
    await page.getByText(/the instance was cancelled by .*: customer left\./).waitFor()
    expect(await input().innerText()).toContain("half a sentence")
  })

  test("one that is completed with what was typed says nothing of it", async () => {
    await openOne("taken")
    await answer("fine")
    await complete()
    await page.getByText(/^Completed .*\.$/).waitFor()
    expect(await input().count()).toBe(0)
  })
})
