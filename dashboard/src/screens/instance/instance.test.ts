import { beforeAll, describe, expect } from "vitest"
import { barriers, isTooWide, setTheme, takePicture } from "../../test-support/browser.ts"
import { complaints, engine, page, pressPair, setUpBrowser, test, untilSaid } from "../../test-support/browser-test.ts"
import { LOAN, LONG, MARKUP, markedUp } from "./test-support/definitions.ts"
import { handWork, type Work } from "./test-support/hand-work.ts"

let work: Work

setUpBrowser({
  path: "/ui/instances",
  prepare: async () => {
    work = handWork(engine)
    for (const definition of [LOAN, LONG, markedUp]) await engine.send("POST", "/v1/definitions", definition)
  },
})

const start = async (definitionId = "loan", variables: object = { amount: 25_000 }, businessKey?: string) =>
  (await engine.send<{ id: string }>("POST", "/v1/instances", { definitionId, variables, businessKey })).id
const open = (id: string, query = "") => page.goto(`${engine.url}/ui/instances/${id}${query}`)
const search = () => new URL(page.url()).searchParams
const says = (text: string | RegExp) => page.getByText(text).first().waitFor()
const status = (word: string) => page.locator("dl").getByText(word, { exact: true }).waitFor()
const dialog = (name: string) => page.getByRole("dialog", { name })
/** As the graph is read to those who do not see it. */
const inGraph = (text: RegExp) => page.getByRole("option", { name: text }).waitFor({ state: "attached" })
const panel = (name: string) => page.getByRole("tab", { name }).click()
const press = (key: string) => page.keyboard.press(key)

/** Up to the user task. */
async function check(): Promise<void> {
  await work.fail("credit-score", "the bureau answered 503", true)
  await work.complete("credit-score", { score: 712, profile: { city: "Bern" } })
  await work.complete("check-identity", { identityOk: true, score: 713 })
}

async function startAtPayout(businessKey: string): Promise<string> {
  const id = await start("loan", { amount: 25_000, applicant: "Ada" }, businessKey)
  await check()
  await engine.send("POST", `/v1/instances/${id}/user-tasks/approve/complete`, { variables: { approved: true } })
  await engine.send("POST", `/v1/instances/${id}/signals/sign`, { signedAt: "2025-03-01" })
  return id
}

describe("the story of an instance", () => {
  test("C-122: it is followed from its start to its end without a reload, and steered by keyboard alone", async () => {
    const id = await start()
    await open(id)
    await page.evaluate(() => Object.assign(window, { sameDocument: true }))
    await says("Waits in the queue for a worker to take its job of type credit-score.")
    await says(/No worker has ever asked for credit-score: start one that does/)
    const job = await work.claim("credit-score")
    await says("Worker worker-1 is at work on it.")
    await work.report(job, "fail", { retryable: true, errorMessage: "the bureau answered 503" })
    await work.complete("credit-score", { score: 712 })
    await work.complete("check-identity", { identityOk: true })
    await says("Waits for a person of credit to complete the task Approve the loan.")
    await says(/^If it is still open at .* \(in .*\), the step Remind the desk starts beside it\.$/)
    await inGraph(/^Credit score, service task, completed · .* · 2 attempts$/)
    await inGraph(/^Approve the loan, user task, waits for a person/)

    await press("t")
    await dialog("Complete Approve the loan").getByText("Approved").waitFor()
    await press("Space") // the first field has the focus: yes
    await press("Enter")
    await untilSaid("Completed Approve the loan")
    await says("Waits for the signal sign.")
    await press("s")
    await dialog("Send the signal Contract is signed").waitFor()
    await press("Control+a")
    await page.keyboard.type('{ "signedAt": "2025-03-01" }')
    for (const key of ["Tab", "Tab", "Enter"]) await press(key)
    await untilSaid("Sent the signal Contract is signed")
    await work.complete("payout", { paid: true })
    await status("completed")
    await inGraph(/^Done, end, completed/)
    await inGraph(/^Tell the applicant, service task$/)
    expect(await page.getByRole("button", { name: /Retry|Cancel|Complete|Send/ }).count()).toBe(0)
    expect(await page.getByRole("heading", { name: "Why is it waiting?" }).count()).toBe(0)
    expect(await page.evaluate(() => "sameDocument" in window)).toBe(true)
    expect(await engine.get(`/v1/instances/${id}`)).toMatchObject({
      variables: { approved: true, signedAt: "2025-03-01", paid: true },
    })
  })

  test("it breaks: one sees why, corrects the variables, retries, and it completes", async () => {
    const id = await startAtPayout("broken-1")
    await open(id)
    await work.fail("payout", "account closed\n    at payOut (bank.ts:20:3)")
    await page.getByRole("heading", { name: "It failed at “Pay out”" }).waitFor()
    await says(/account closed\s+at payOut \(bank.ts:20:3\)/)
    expect(await page.getByRole("button", { name: /^(Cancel|Send|Complete)/ }).count()).toBe(0)
    expect(await page.getByRole("button", { name: /^Retry/ }).allInnerTexts()).toEqual(["Retry…"])
    await press("r")
    const retry = dialog("Retry Pay out")
    const box = retry.getByLabel("Variables", { exact: true })
    await retry.getByText("Nothing is changed yet.").waitFor()
    await box.fill("{ 1 }")
    await retry.getByText("1 problem").waitFor()
    expect(await retry.getByRole("button", { name: "Retry", exact: true }).isDisabled()).toBe(true)
    const { variables } = await engine.get<{ variables: object }>(`/v1/instances/${id}`)
    await box.fill(JSON.stringify({ ...variables, applicant: undefined }))
    await retry
      .getByText(/A variable cannot be removed: set applicant to null instead/)
      .first()
      .waitFor()
    await box.fill(JSON.stringify({ ...variables, iban: "CH93" }))
    await retry.getByText("Will change iban.").waitFor()
    await retry.getByRole("button", { name: "Change and retry" }).click()
    await untilSaid("Retried Pay out with iban changed")
    await says("Waits in the queue for a worker to take its job of type payout.")
    expect((await work.complete("payout", { paid: true })).variables).toMatchObject({ iban: "CH93" })
    await status("completed")
    await inGraph(/^Pay out, service task, completed/)
    await page.goto(`${page.url().split("?")[0]}?step=payout`)
    const step = page.getByRole("region", { name: "Step Pay out" })
    for (const words of ["Execution 2 · 1 attempt", "Execution 1 · 1 attempt"])
      await step.getByRole("heading", { name: words }).waitFor()
    await panel("Variables")
    await page.getByRole("button", { name: /^Changed for the retry of Pay out/ }).click()
    await page.getByRole("list", { name: "Changes" }).getByText("iban").waitFor()
  })

  test("SEC-53: it is cancelled after asking; the reason and who did it are in the audit trail", async () => {
    await open(await start())
    await says("Why is it waiting?")
    await press("c")
    const asked = dialog("Cancel this instance?")
    await asked.getByText("Its 2 open steps are stopped", { exact: false }).waitFor()
    await press("Escape")
    await asked.waitFor({ state: "hidden" })
    await press("c")
    await asked.waitFor()
    await page.keyboard.type("the customer changed their mind")
    await press("Enter")
    await untilSaid("Cancelled the instance")
    await page.getByRole("heading", { name: "It was cancelled" }).waitFor()
    await panel("Audit")
    const line = page.getByRole("row", { name: /Instance cancelled/ })
    expect(await line.innerText()).toMatch(/local[\s\S]*the customer changed their mind/)
  })
})

describe("what an instance did", () => {
  let id: string
  beforeAll(async () => {
    id = await startAtPayout("told")
    await work.fail("payout", "no such account")
  })

  test("C-122: what each step changed, and all variables after it; the address says which", async () => {
    await open(id, "?panel=variables")
    const changes = page.getByRole("list", { name: "Changes" })
    await page.getByRole("button", { name: /^After Check identity.*1 added, 1 changed/ }).click()
    await expect.poll(() => changes.innerText()).toMatch(/changed\s+score[\s\S]*712[\s\S]*713/)
    await page.reload()
    await expect.poll(() => changes.innerText()).toMatch(/added\s+identityOk[\s\S]*true/)
    const then = JSON.parse(await page.getByRole("region", { name: "all variables then" }).innerText())
    expect(then).toEqual({
      amount: 25_000,
      applicant: "Ada",
      risk: true,
      score: 713,
      profile: { city: "Bern" },
      identityOk: true,
    })
    await page.getByRole("button", { name: /^Started with/ }).click()
    await expect.poll(() => changes.getByText("added").count()).toBe(2)
  })

  test("C-122: the waterfall has a bar for each execution; the arrow keys go through them and tell their times", async () => {
    await open(id, "?view=waterfall")
    const bars = page.getByRole("list", { name: "Step executions" }).getByRole("button")
    await expect.poll(() => bars.count()).toBe(9)
    await bars.first().focus()
    for (const key of ["ArrowDown", "ArrowDown"]) await press(key)
    await says(/^Credit score · completed · .* to .* · attempt 1 failed at .* · by worker-1$/)
    const squeezed = page.getByLabel("Squeeze long waits")
    const before = await squeezed.isChecked()
    await squeezed.click()
    await expect.poll(() => search().get("scale")).toBe(before ? "true" : "squeezed")
    await press("End")
    await bars.last().focus()
    await press("Enter")
    await expect.poll(() => search().get("step")).toBe("payout")
    await page.getByRole("region", { name: "Step Pay out" }).getByText("no such account").waitFor()
  })

  test("the graph is walked through with the keyboard; a step tells its attempts, output and worker", async () => {
    await open(id)
    const steps = page.getByRole("listbox", { name: "Graph of Loan application, steps" })
    await steps.focus()
    for (const key of ["Home", "ArrowDown", "ArrowDown", "Enter"]) await press(key)
    await expect.poll(() => search().get("step")).toBe("score")
    const step = page.getByRole("region", { name: "Step Credit score" })
    await step.getByText("the bureau answered 503").waitFor()
    await step.getByText('"score": 712').waitFor()
    expect(await step.innerText()).toContain("worker-1")
    await page.locator("main").focus()
    await press("j")
    await page.getByRole("region", { name: "Step Check identity" }).waitFor()
    await press("Escape")
    await page.getByRole("heading", { name: "Steps" }).waitFor()
    // Where the mouse selects.
    await page
      .getByRole("region", { name: "Graph of Loan application" })
      .getByTitle(/^Pay out\n/)
      .click()
    await page.getByRole("button", { name: "Retry this step…" }).waitFor()
  })

  test("history and audit are tables; letters that lead elsewhere do nothing else", async () => {
    await open(id, "?panel=history")
    const history = page.getByRole("table", { name: "History of the instance" })
    expect(await history.getByRole("row", { name: /Pay out/ }).innerText()).toMatch(/failed[\s\S]*no such account/)
    await panel("Audit")
    await page.getByRole("row", { name: /Step retried|Job retried/ }).waitFor()
    await page.locator("main").focus()
    await pressPair(page, "g t", page.getByRole("heading", { level: 1, name: "User tasks" }))
    expect(page.url()).toMatch(/\/ui\/user-tasks/)
  })
})

test("500 steps are drawn, and only what is seen is in the page", async () => {
  await open(await start("long", { n: 0 }))
  const graph = page.getByRole("region", { name: "Graph of Five hundred steps" })
  await graph.getByTitle(/^Wait here\n/).waitFor()
  expect(await graph.getByRole("option").count()).toBe(500)
  expect(await graph.getByTitle(/^(Compute|Wait|Done)/).count()).toBeLessThan(40)
  await graph.getByRole("listbox").focus()
  await press("End")
  await graph.getByTitle(/^Done\n/).waitFor()
  await graph.getByRole("button", { name: "Fit the whole graph" }).click()
  await expect.poll(() => graph.getByTitle(/^(Compute|Wait|Done)/).count()).toBe(500)
})

test("SEC-50: markup in names, ids, keys, variables, outputs, errors and workers stays text", async () => {
  const id = await start("marked-up", { [MARKUP]: MARKUP, deep: { [MARKUP]: [MARKUP] } }, MARKUP)
  await open(id)
  await says("Why is it waiting?")
  await work.complete("markup", { [MARKUP]: 1, out: MARKUP }, MARKUP)
  await work.fail("markup-2", MARKUP, false, MARKUP)
  await page.getByRole("heading", { name: "It failed at", exact: false }).waitFor()
  for (const name of ["Variables", "History", "Audit"]) {
    await panel(name)
    await expect.poll(() => page.getByRole("tabpanel").last().innerText()).toContain("<img")
  }
  await page.locator("main").focus()
  for (const key of ["j", "j"]) await press(key)
  await page.getByRole("region", { name: "Step " }).getByText(MARKUP).first().waitFor()
  await press("r")
  await page.getByRole("dialog").waitFor()
  expect(await page.locator("img[src=x], b[data-x]").count()).toBe(0)
  await press("Escape")
})

test("an instance that is not there is said to be not there", async () => {
  await open("01JN8Z3V5E8Q2R7W4Y6T9A1B3C")
  await page.getByRole("heading", { name: "Instance not found" }).waitFor()
})

test("is accessible, in light and dark, on a wide and a narrow screen", async () => {
  const waiting = await start("loan", { amount: 25_000, applicant: "Ada" }, "loan-2025-117")
  await check()
  const failed = await startAtPayout("loan-2025-118")
  await work.fail("payout", "account closed")
  for (const theme of ["light", "dark"] as const) {
    await setTheme(page, theme)
    await open(failed, "?step=payout&panel=variables&after=0003")
    await inGraph(/^Pay out, service task, failed/)
    await expect.poll(() => barriers(page)).toEqual([])
    await open(failed, "?panel=audit")
    await page.getByRole("row", { name: /Job failed/ }).waitFor()
    await expect.poll(() => barriers(page)).toEqual([])
    await takePicture(page, `instance-failed-${theme}`)
    await open(waiting, "?step=approve")
    await says("Waits for a person of credit to complete the task Approve the loan.")
    await inGraph(/^Approve the loan, user task, waits/)
    await expect.poll(() => barriers(page)).toEqual([])
    await takePicture(page, `instance-${theme}`)
  }
  await press("t")
  await page.getByRole("dialog").waitFor()
  await expect.poll(() => barriers(page)).toEqual([])
  await press("Escape")
  await page.setViewportSize({ width: 360, height: 740 })
  for (const panel of ["variables", "history", "audit"]) {
    await open(failed, `?step=payout&panel=${panel}`)
    await page.getByRole("region", { name: "Step Pay out" }).waitFor()
    await expect.poll(() => isTooWide(page), { message: panel }).toBe(false)
  }
  await inGraph(/^Pay out/)
  await takePicture(page, "instance-narrow")
  // Only the missing instance may cause an error in the console.
  expect(complaints.filter((text) => !/404.*01JN8Z3V5E8Q2R7W4Y6T9A1B3C/.test(text))).toEqual([])
})
