import type { Page } from "playwright-core"
import { describe, expect } from "vitest"
import { engine, openAt, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { expectUsable } from "../../test-support/expect-usable.ts"
import { EXAMPLE } from "./example.ts"

setUpBrowser({
  prepare: async () => {
    await engine.send("POST", "/v1/definitions", EXAMPLE)
    await start(900)
  },
})

const start = (amount: number) =>
  engine.send("POST", "/v1/instances", { definitionId: "expense", variables: { employee: "Bo", amount } })
const open = (path: string) => openAt(`/ui${path}`)
const refusalOf = (path: string) =>
  `console: Failed to load resource: the server responded with a status of 400 (Bad Request) (${engine.url}${path})`
const editor = (page: Page) => page.getByLabel("Definition, as JSON")
const replaceIn = async (page: Page, from: string, to: string) => {
  const text = await editor(page).inputValue()
  expect(text).toContain(from)
  await editor(page).fill(text.replace(from, to))
}

describe("definitions", () => {
  test("an upload is refused with every violation at its line, keeps its text, and is taken when it is mended", async () => {
    const { page, complaints, close } = await open("/definitions")
    await page.getByRole("link", { name: "Upload a definition" }).first().click()
    await page.getByRole("button", { name: "Insert an example" }).click()
    await replaceIn(page, '"id": "expense"', '"id": "travel"')
    await replaceIn(page, '"nextStep": "paid"', '"nextStp": "paid"')
    await replaceIn(page, "amount <= 100", "amount <=")
    const sent = await editor(page).inputValue()
    await page.getByRole("button", { name: "Upload", exact: true }).click()

    const problems = page.getByRole("region", { name: "What is wrong" })
    const lineOf = (text: string) => sent.slice(0, sent.indexOf(text)).split("\n").length
    await problems.getByRole("button", { name: `Line ${lineOf("amount <=")} steps[0]` }).waitFor()
    const typo = problems.getByRole("button", { name: `Line ${lineOf("nextStp")} steps[2].nextStp unknown field` })
    await typo.click()
    expect(await editor(page).inputValue()).toBe(sent)
    const selected = () => page.evaluate(() => getSelection()?.toString().trim())
    await expect.poll(selected).toBe('"nextStp": "paid"')
    await expectUsable(page, "upload")

    await replaceIn(page, "nextStp", "nextStep")
    await typo.waitFor({ state: "detached" })
    await problems.getByRole("button", { name: `Line ${lineOf("amount <=")} steps[0]` }).waitFor()
    await replaceIn(page, "amount <=", "amount <= 100")
    await problems.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Upload", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Expense claim" }).waitFor()
    expect(await engine.get("/v1/definitions/travel")).toMatchObject({ ...EXAMPLE, id: "travel", version: 1 })
    expect(complaints).toEqual([refusalOf("/v1/definitions")])
    await close()
  })

  test("text that is not JSON, from a file or typed, is found at its line, and cannot be sent", async () => {
    const { page, complaints, close } = await open("/upload")
    const buffer = Buffer.from('{\n  "id": "x"\n  "name": "X"\n}')
    const file = { name: "x.json", mimeType: "application/json", buffer }
    await page.getByLabel("A file with a definition").setInputFiles(file)
    await page.getByRole("button", { name: "Line 2 A comma or } is missing after this" }).waitFor()
    expect(await page.getByRole("button", { name: "Upload", exact: true }).isDisabled()).toBe(true)
    expect(complaints).toEqual([])
    await close()
  })

  test("C-55: an instance is started from the form of its input, once everything that is required is there", async () => {
    const { page, complaints, close } = await open("/definitions/expense")
    await page.getByRole("button", { name: "Start an instance" }).click()
    const dialog = page.getByRole("dialog", { name: "Start Expense claim" })
    const start = dialog.getByRole("button", { name: "Start", exact: true })
    await dialog.getByLabel("Amount").fill("much")
    await start.click()
    await dialog.getByText("Employee is required").waitFor()
    await dialog.getByText("Amount must be a number").waitFor()
    await expect
      .poll(() => dialog.getByLabel("Employee").evaluate((field) => field === document.activeElement))
      .toBe(true)
    await expectUsable(page, "start-instance")

    await dialog.getByLabel("Employee").fill("Ada")
    await dialog.getByLabel("Amount").fill("500.50")
    await dialog.getByLabel("Business key").fill("claim-1")
    await dialog.getByLabel("Priority").selectOption("high")
    await start.click()
    await page.waitForURL(/\/instances\/\w{26}/)
    const id = /instances\/(\w{26})/.exec(page.url())?.[1]
    expect(await engine.get(`/v1/instances/${id}`)).toMatchObject({
      definitionId: "expense",
      variables: { employee: "Ada", amount: 500.5 },
      businessKey: "claim-1",
      priority: "high",
    })
    expect(complaints).toEqual([])
    await close()
  })

  test("C-122: the graph shows what is open at each step, and goes on counting", async () => {
    const { page, complaints, close } = await open("/definitions/expense?step=approve")
    const hasOpen = (open: number) =>
      // The engine keeps its answer for up to ten seconds, and the page asks every five.
      page.getByRole("option", { name: `Approve, user task, ${open} open` }).waitFor({ state: "attached" })
    // From the list, which is never old: the answer about the activity may be from before the last start.
    const waiting = "/v1/instances?definitionId=expense&status=WAITING&pageSize=1"
    const { total } = await engine.get<{ total: number }>(waiting)
    await hasOpen(total)
    await start(1_000)
    await hasOpen(total + 1)
    // What kind of step it is, is read once.
    await page.getByRole("option", { name: "Small?, decision", exact: true }).waitFor({ state: "attached" })
    await page.getByRole("region", { name: "Step" }).getByText("managers").waitFor()
    await expectUsable(page, "definition")
    await page.keyboard.press("j")
    await page.getByRole("heading", { level: 3, name: "Pay" }).waitFor()
    expect(page.url()).toContain("step=pay")
    await page.getByRole("link", { name: "waiting" }).click()
    await page.waitForURL(/instances\?definitionId=expense&status=WAITING/)
    expect(complaints).toEqual([])
    await close()
  })

  test("C-122: a new version is uploaded from the last, and the difference is said by step and field", async () => {
    const { page, complaints, close } = await open("/definitions/expense")
    await page.getByRole("link", { name: "Upload a new version" }).click()
    await replaceIn(page, "amount <= 100", "amount <= 250")
    await replaceIn(page, '"retryCount": 3', '"retryCount": 5')
    await page.getByRole("button", { name: "Upload", exact: true }).click()
    await page.getByText("Uploaded Expense claim, version 2").waitFor()
    await page.getByRole("tab", { name: "Versions" }).click()
    await page
      .getByRole("row", { name: /Version 2 latest/ })
      .getByRole("link", { name: "to version 1" })
      .click()
    await page.getByText("From version 1 to 2: 2 steps changed.").waitFor()
    const pay = page.getByRole("article", { name: "Pay" })
    expect(await pay.innerText()).toMatch(/retryCount\s+Before\s+3\s+After\s+5/)
    const lines = page.getByRole("region", { name: "Lines" })
    expect(await lines.innerText()).toMatch(/-\s+"amount <= 100": "pay",\n\+\s+"amount <= 250": "pay",/)
    await expectUsable(page, "definition-difference")
    expect(complaints).toEqual([])
    await close()

    const copied = await open("/definitions/expense?version=1&view=json")
    await copied.page.getByText('"amount <= 100": "pay"').waitFor()
    expect(copied.complaints).toEqual([])
    await copied.close()
  })

  test("SEC-50: whatever names and descriptions say stays text", async () => {
    const evil = `<img src=x onerror=alert(1)>"><script>alert(2)</script>`
    const step = { id: "a", name: evil, description: evil, type: "SERVICE_TASK", jobType: "x" }
    const inputSchema = { properties: { [evil]: { type: "string", title: evil, description: evil } }, required: [evil] }
    const document = {
      id: "evil",
      name: evil,
      description: evil,
      steps: [step],
      inputSchema,
      metadata: { [evil]: evil },
    }
    await engine.send("POST", "/v1/definitions", document)
    await engine.send("POST", "/v1/definitions", { ...document, description: `${evil}!` })
    const { page, complaints, close } = await open("/definitions?keyword=img")
    await page.getByRole("row").getByText("evil", { exact: true }).waitFor()
    await expectUsable(page)
    await page.getByRole("link", { name: evil }).click()
    await page.getByRole("heading", { level: 1, name: evil }).waitFor()
    for (const view of ["Graph", "Steps", "Versions", "Difference", "JSON"]) {
      await page.getByRole("tab", { name: view }).click()
      await page.getByRole("tabpanel").getByText("<img src=x").first().waitFor({ state: "attached" })
      expect(await page.locator("img[src=x]").count()).toBe(0)
    }
    await page.getByRole("button", { name: "Start an instance" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Start", exact: true }).click()
    await page.getByText(`${evil} is required`).waitFor()
    expect(await page.locator("img[src=x]").count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  test("the list is searched as one types, and its address says what is shown", async () => {
    for (let index = 0; index < 21; index++) {
      const steps = [{ id: "a", name: "A", type: "SERVICE_TASK", jobType: "x" }]
      await engine.send("POST", "/v1/definitions", { id: `nightly-${index}`, name: `Nightly ${index}`, steps })
    }
    const { page, complaints, close } = await open("/definitions")
    await page.getByText(/Page 1 of 2/).waitFor()
    await page.getByRole("link", { name: "Next" }).click()
    await page.getByText(/Page 2 of 2/).waitFor()
    await page.getByLabel("Part of a name or id").fill("expense")
    await page.getByRole("row", { name: "Expense claim expense" }).waitFor()
    await expect.poll(() => page.getByRole("row", { name: "Nightly" }).count()).toBe(0)
    expect(page.url()).toMatch(/definitions\?keyword=expense$/)
    await page.getByLabel("Part of a name or id").fill("nothing has this")
    await page.getByText("No definition has this in its name or id.").waitFor()
    await page.getByRole("link", { name: "Show all definitions" }).click()
    await expectUsable(page, "definitions")
    expect(complaints).toEqual([])
    await close()
  })
})
