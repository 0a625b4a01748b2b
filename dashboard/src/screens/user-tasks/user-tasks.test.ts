import type { Route } from "playwright-core"
import { describe, expect } from "vitest"
import { barriers, isTooWide, setTheme, takePicture } from "../../test-support/browser.ts"
import { complaints, engine, openAt, page, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { chip, chooseFilter, typeFilter } from "../../test-support/filter-chips.ts"

import { dueTone } from "./task-list.tsx"

const EVIL = `<img src=x onerror="alert('name')">`

const ids: string[] = []

const review = {
  id: "review",
  name: "Review",
  steps: [
    {
      id: "approve",
      name: "Approve an expense",
      type: "USER_TASK",
      assigneeGroup: "finance",
      dueIn: "PT2H",
      form: {
        properties: {
          approved: { type: "boolean", title: "Approved" },
          amount: { type: "integer", title: "Amount" },
          reason: { type: "string", title: "Reason", description: "Shown to whoever asked." },
        },
        required: ["approved", "amount"],
      },
      nextStep: "end",
    },
    { id: "end", name: "End", type: "END" },
  ],
}

setUpBrowser({
  path: "/ui/user-tasks",
  prepare: async () => {
    await engine.send("POST", "/v1/definitions", review)
    for (const order of [1, 2, 3]) {
      const variables = { order, employee: "Ada", purpose: "travel", receipts: [1, 2] }
      const start = { definitionId: "review", variables, businessKey: `expense-${order}` }
      const { id } = await engine.send<{ id: string }>("POST", "/v1/instances", start)
      ids.push(id)
    }
  },
})

/** What is typed counts with Enter. */
async function sayName(name: string): Promise<void> {
  await page.getByLabel("I am").fill(name)
  await page.keyboard.press("Enter")
}

/** What a person does in a row, and what the page says of it. */
const QUICK = [
  ["Claim", "Claimed Approve"],
  ["Give back", "Gave Approve"],
] as const

const tasks = () => page.getByRole("list", { name: "Tasks" }).getByRole("button")

/** The page reads no task until it is let: it reads them again and again by itself, and would learn of what others do. */
async function holdReads(): Promise<() => Promise<void>> {
  const held: Route[] = []
  let isHeld = true
  await page.route("**/v1/user-tasks**", async (route) => {
    if (isHeld && route.request().method() === "GET") held.push(route)
    else await route.continue()
  })
  return async () => {
    isHeld = false
    await Promise.all(held.map((route) => route.continue()))
    await page.unroute("**/v1/user-tasks**")
  }
}

describe("the inbox", () => {
  test("shows what waits, oldest first, and a new task comes by itself", async () => {
    await expect.poll(() => tasks().count()).toBe(3)
    await engine.send("POST", "/v1/instances", { definitionId: "review", variables: { order: 4 } })
    await expect.poll(() => tasks().count()).toBe(4)
  })

  test("what is only mine is a view once a name was said; a task with time left is no warning", async () => {
    expect(await page.getByRole("link", { name: "Only mine" }).count()).toBe(0)
    await sayName("maria")
    await page.getByRole("link", { name: "Only mine" }).click()
    await chip(page, "Assignee").filter({ hasText: "maria" }).waitFor()
    await page.getByText("No task matches.").waitFor()
    await page.getByRole("link", { name: "Open", exact: true }).click()
    await tasks().first().click()
    await page.getByText(/· waiting for \d/).waitFor()
    await page
      .getByText(/^due in/)
      .first()
      .waitFor()
    expect([dueTone(7_200_000), dueTone(3_000_000), dueTone(-1)]).toEqual(["calm", "warn", "bad"])
  })

  test("a row says what its task is about: the key, and the variables that a reader has chosen", async () => {
    await expect.poll(() => tasks().first().innerText()).toMatch(/expense-1\s+order 1 · purpose travel · employee Ada/)
    await tasks().first().click()
    const context = page.getByRole("region", { name: "Context" })
    await context.locator("dl > div", { hasText: "employee" }).getByRole("button").click()
    await expect.poll(() => tasks().nth(1).innerText()).toMatch(/expense-2\s+order 2 · purpose travel/)
    await page.reload()
    await expect.poll(() => tasks().first().innerText()).toMatch(/expense-1\s+order 1 · purpose travel/)
  })

  test("a claimed task is given back, and delegated to another person; what another has done meanwhile is told", async () => {
    await sayName("maria")
    await tasks().first().click()
    await page.getByRole("button", { name: "Claim" }).click()
    await page.getByText("claimed by maria").waitFor()
    await page.getByRole("button", { name: "Give back" }).click()
    await page.getByRole("button", { name: "Claim" }).waitFor()
    await page.getByRole("button", { name: "Delegate…" }).click()
    await page.getByRole("dialog").getByLabel("To").fill("bo")
    await page.keyboard.press("Enter")
    await page.getByText("claimed by bo").waitFor()
    const { items } = await engine.get<{ items: { id: string }[] }>("/v1/user-tasks?assignee=bo")
    expect(items).toHaveLength(1)
    await page.getByRole("button", { name: "Delegate…" }).click()
    const letRead = await holdReads()
    await engine.send("POST", `/v1/user-tasks/${items[0]?.id}/delegate`, { assignee: "zoe" })
    const refused = page.waitForResponse(/\/delegate$/)
    await page.getByRole("dialog").getByLabel("To").fill("maria")
    await page.keyboard.press("Enter")
    await refused
    await letRead()
    await page.getByRole("dialog").getByText("the user task is with zoe").waitFor()
    await page.keyboard.press("Escape")
    await page.getByText("claimed by zoe").waitFor()
    await page.getByRole("button", { name: "Give back" }).click()
    await page.getByRole("button", { name: "Claim" }).waitFor()
  })

  test.each([390, 1280])(
    "at %i px quick actions leave a few words, which cover nothing that is worked on",
    async (width) => {
      const { page, close } = await openAt("/ui/user-tasks", { viewport: { width, height: 800 } })
      await page.getByLabel("I am").fill("maria")
      await page.keyboard.press("Enter")
      await page.getByRole("list", { name: "Tasks" }).getByRole("button").first().click()
      const words = page.locator("[role=status][aria-live] > p")
      for (const [action, outcome] of [...QUICK, ...QUICK]) {
        const button = page.getByRole("button", { name: action, exact: true })
        // Once at each end of the screen.
        const block: ScrollLogicalPosition = outcome === "Claimed Approve" ? "start" : "end"
        await button.evaluate((one, block) => one.scrollIntoView({ block }), block)
        await button.click()
        await words.filter({ hasText: outcome, visible: true }).first().waitFor()
        // On a phone the inbox fills the screen: there it is what was pressed that stays free.
        const used = width < 768 ? page.getByRole("button", { name: /^(Claim|Give back)/ }) : page.getByRole("main")
        const covered = await words.evaluateAll(
          (said, used) => {
            const b = used?.getBoundingClientRect()
            const meets = (a: DOMRect) =>
              b && a.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
            return said.filter((word) => meets(word.getBoundingClientRect())).length
          },
          await used.elementHandle(),
        )
        expect([action, covered]).toEqual([action, 0])
      }
      expect(await words.filter({ visible: true }).count()).toBeLessThanOrEqual(width < 768 ? 1 : 3)
      await close()
    },
  )

  test("the due date of a task is moved, and taken away", async () => {
    const { items } = await engine.get<{ items: { id: string }[] }>("/v1/user-tasks")
    const path = `/v1/user-tasks/${items[0]?.id}`
    const due = () => engine.get<{ dueAt?: string }>(path)
    await tasks().first().click()
    await page.getByRole("button", { name: "Due date…" }).click()
    await page.getByRole("dialog").getByLabel("Due").fill("2030-01-01T08:00")
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await due()).toMatchObject({ dueAt: expect.stringMatching(/^20(29-12-31|30-01-01)T.*Z$/) })
    await page.getByRole("button", { name: "Due date…" }).click()
    expect(await page.getByRole("dialog").getByLabel("Due").inputValue()).toBe("2030-01-01T08:00")
    await page.getByRole("dialog").getByLabel("Due").fill("")
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await due()).not.toHaveProperty("dueAt")
  })

  test("a task is claimed, its form says what is missing, and completing opens the next", async () => {
    await sayName("maria")
    await tasks().first().click()
    await page.getByRole("button", { name: "Claim" }).click()
    await page.getByText("claimed by maria").waitFor()

    await page.getByRole("button", { name: "Complete and next" }).click()
    await expect.poll(() => page.getByLabel("Amount").getAttribute("aria-invalid")).toBe("true")
    expect(await engine.get(`/v1/instances/${ids[0]}`)).toMatchObject({ status: "WAITING" })

    await page.getByRole("group", { name: "Approved" }).getByLabel("Yes").check()
    await page.getByLabel("Amount").fill("40")
    await expect.poll(() => page.getByText("is required").count()).toBe(0)
    await page.getByLabel("Reason").fill("fine")
    for (const theme of ["light", "dark"] as const) {
      await setTheme(page, theme)
      await expect.poll(() => barriers(page)).toEqual([])
      await takePicture(page, `user-tasks-${theme}`)
    }
    await page.getByRole("button", { name: "Complete and next" }).click()
    await page.getByText(`instance ${ids[1]}`).waitFor()
    await expect
      .poll(() => engine.get<object>(`/v1/instances/${ids[0]}`))
      .toMatchObject({ status: "COMPLETED", variables: { approved: true, amount: 40, reason: "fine" } })
    await expect.poll(() => tasks().count()).toBe(3)
  })

  test("only mine, and who did what, are addresses that can be shared", async () => {
    await page.goto(`${engine.url}/ui/user-tasks?status=COMPLETED&assignee=maria`)
    await expect.poll(() => tasks().count()).toBe(1)
    await tasks().first().click()
    await page.getByText("by maria").first().waitFor()
    expect(await page.getByText(/^due /).count()).toBe(0)
    await page.goto(`${engine.url}/ui/user-tasks?group=nobody-here`)
    await page.getByText("No task matches.").waitFor()
  })

  test("filters are chips in the address, and a saved view has them under a name", async () => {
    await page.goto(`${engine.url}/ui/user-tasks`)
    await typeFilter(page, "Group", "finance")
    await chooseFilter(page, "Status", "completed")
    await expect.poll(() => page.url()).toMatch(/status=COMPLETED.*group=finance|group=finance.*status=COMPLETED/)
    await expect.poll(() => tasks().count()).toBe(1)
    await page.getByRole("button", { name: "Save view" }).click()
    await page.getByRole("dialog").getByLabel("Name").fill("Finance, done")
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await page.getByRole("button", { name: "Clear" }).click()
    await expect.poll(() => tasks().count()).toBe(3)
    await page.getByRole("link", { name: "Finance, done" }).click()
    await chip(page, "Group").waitFor()
    await expect.poll(() => tasks().count()).toBe(1)
    await page.getByRole("link", { name: "Open", exact: true }).click()
    await expect.poll(() => tasks().count()).toBe(3)
    await page.getByRole("link", { name: "Completed", exact: true }).click()
    await expect.poll(() => tasks().count()).toBe(1)
    expect(await chip(page, "Group").count()).toBe(0)
  })

  test("SEC-50: names and variables are text, whatever is in them", async () => {
    const [step, end] = review.steps
    const steps = [{ ...step, name: `Approve ${EVIL}`, assigneeGroup: "evil" }, end]
    await engine.send("POST", "/v1/definitions", { id: "evil", name: EVIL, steps })
    await engine.send("POST", "/v1/instances", { definitionId: "evil", variables: { [EVIL]: EVIL } })
    await page.goto(`${engine.url}/ui/user-tasks?group=evil`)
    await tasks().first().click()
    await page.getByRole("heading", { name: EVIL }).waitFor()
    await page.getByText("onerror").nth(1).waitFor()
    expect(await page.locator("img[src=x]").count()).toBe(0)
  })

  test("it fits a narrow screen, and complains of nothing", async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await expect.poll(() => isTooWide(page)).toBe(false)
    expect(complaints.filter((one) => !/40[09]/.test(one))).toEqual([])
  })
})
