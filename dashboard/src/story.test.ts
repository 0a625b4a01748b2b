// The story of a newcomer who has just typed `npm start`: run the sample, break it, see why, mend it, replay what died. No docs.
import { describe, expect } from "vitest"
import { complaints, engine, page, setUpBrowser, test } from "./test-support/browser-test.ts"

setUpBrowser({ path: "/" })

const title = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor()
const status = (name: string) =>
  page.getByRole("main").locator("dl > div", { hasText: "Status" }).getByText(name, { exact: true })

async function startHello(name: string): Promise<void> {
  await page.getByRole("link", { name: "Definitions" }).click()
  await page
    .getByRole("link", { name: "hello", exact: true })
    .or(page.getByRole("link", { name: "Hello" }))
    .first()
    .click()
  await title(/hello/i)
  await page
    .getByRole("button", { name: /^Start/ })
    .first()
    .click()
  const form = page.getByRole("dialog")
  await form.getByLabel("Name").first().fill(name)
  await form.getByRole("button", { name: /^Start/ }).click()
  await page.waitForURL(/\/ui\/instances\/[0-9A-Z]{26}/)
}

describe("a first hour without docs", () => {
  test("the sample is started from a form and followed to its end", async () => {
    await title("Overview")
    await page
      .getByRole("link", { name: /hello|sample/i })
      .first()
      .waitFor()
    await startHello("Ada")
    await status("completed").waitFor()
    await page.getByRole("tab", { name: "Variables" }).click()
    await page.getByText("Hello, Ada!").first().waitFor()
  })

  test("a long name waits for a person: the page says so, and the task is done on the spot", async () => {
    await startHello("Augusta Ada King, Countess of Lovelace")
    await status("waiting").waitFor()
    await page.getByText("Approve a long name").first().waitFor()
    await page.getByRole("link", { name: "User tasks" }).click()
    await page.getByRole("list", { name: "Tasks" }).getByRole("button").first().click()
    await page.getByRole("button", { name: "Complete", exact: true }).click()
    await page.getByText("Completed Approve a long name").waitFor()
    await page.getByRole("link", { name: /^instance / }).click()
    await status("completed").waitFor()
  })

  test("it breaks, the page says why, and a retry with other variables mends it", async () => {
    await startHello("nobody")
    await status("failed").waitFor()
    await page.getByText("there is nobody to greet").first().waitFor()
    await page
      .getByRole("button", { name: /^Retry/ })
      .first()
      .click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox").first().fill('{ "name": "Grace" }')
    await dialog.getByRole("button", { name: "Change and retry" }).click()
    await status("completed").waitFor()
    await page.getByRole("tab", { name: "Variables" }).click()
    await page.getByText("Hello, Grace!").first().waitFor()
  })

  test("a job dies because what it calls is down; once that is up again, the job is replayed from the dead letters and runs", async () => {
    const job = await engine.send<{ id: string }>("POST", "/jobs", {
      type: "send_email",
      payload: { to: "ada" },
      retries: 0,
    })
    const claim = async () => {
      const { jobs } = await engine.send<{ jobs: { id: string }[] }>("POST", "/v1/jobs/poll", {
        workerId: "mailer",
        jobTypes: ["send_email"],
        waitSeconds: 5,
      })
      return jobs[0]?.id
    }
    expect(await claim()).toBe(job.id)
    await engine.send("POST", `/v1/jobs/${job.id}/fail`, {
      workerId: "mailer",
      retryable: false,
      errorMessage: "the mail server is down",
    })

    await page.getByRole("link", { name: /Dead letters/ }).click()
    await page.getByText("the mail server is down").first().waitFor()
    await page
      .getByRole("button", { name: /^Replay/ })
      .first()
      .click()
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Replay/ })
      .click()
    let replayed: string | undefined
    await expect
      .poll(async () => {
        replayed = await claim()
        return replayed
      })
      .toBeTruthy()
    await engine.send("POST", `/v1/jobs/${replayed}/complete`, { workerId: "mailer" })
    expect(await engine.get(`/jobs/${replayed}`)).toMatchObject({ status: "COMPLETED", payload: { to: "ada" } })
    await page.getByText("the mail server is down").waitFor({ state: "hidden" })
  })

  test("nothing on the way was an error of the page", () => {
    expect(complaints).toEqual([])
  })
})
