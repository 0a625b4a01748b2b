import { expect } from "vitest"
import { complaints, engine, openAt, page, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { expectUsable } from "../../test-support/expect-usable.ts"

let failedId: string

setUpBrowser({ path: "/ui/queues" })

const dialog = () => page.getByRole("dialog")
const fact = (name: string) => page.getByRole("main").locator("dl > div", { hasText: name }).locator("dd")

interface Claimed {
  readonly jobs: readonly { readonly id: string; readonly leaseToken: string }[]
}

/** Claims the one job of a type and reports on it. */
async function work(jobType: string, how: "complete" | "fail", report: object): Promise<void> {
  const poll = { workerId: "worker-1", jobTypes: [jobType], maxJobs: 1, leaseSeconds: 600 }
  const { jobs } = await engine.send<Claimed>("POST", "/v1/jobs/poll", poll)
  const { id, leaseToken } = jobs[0]!
  await engine.send("POST", `/v1/jobs/${id}/${how}`, { workerId: "worker-1", leaseToken, ...report })
}

test("D-01, SEC-50: a job is enqueued from the screen of the queues, and its page shows it as text", async () => {
  await page.getByRole("button", { name: "Enqueue a job" }).waitFor()
  await page.keyboard.press("e")
  await dialog().getByLabel("Job type").fill("send mail")
  await dialog()
    .getByText(/use 1 to 200 letters/)
    .waitFor()
  await dialog().getByLabel("Job type").fill("mail")
  await dialog()
    .getByLabel(/^Payload/)
    .fill(`{ "to": `)
  await dialog().getByText("1 problem").waitFor()
  expect(await dialog().getByRole("button", { name: "Enqueue" }).isDisabled()).toBe(true)
  await dialog()
    .getByLabel(/^Payload/)
    .fill(`{ "to": "<script>alert(1)</script>" }`)
  await dialog().getByLabel("Priority").selectOption("high")
  await dialog().getByText("More", { exact: true }).click()
  await dialog().getByLabel("Key").fill("welcome-1")
  await dialog().getByLabel("Retries").fill("some")
  await dialog().getByText("A whole number from 0 to 10,000").waitFor()
  expect(await dialog().getByRole("button", { name: "Enqueue" }).isDisabled()).toBe(true)
  await dialog().getByLabel("Retries").fill("1")
  await dialog().getByRole("button", { name: "Enqueue" }).click()
  await page.waitForURL(/\/ui\/jobs\/[0-9A-Z]{26}$/)
  await page.getByRole("heading", { level: 1, name: "mail" }).waitFor()
  expect([await fact("Status").innerText(), await fact("Priority").innerText()]).toEqual(["pending", "high"])
  expect(await fact("Key").innerText()).toBe("welcome-1")
  await page.getByRole("region", { name: "payload" }).getByText(`"<script>alert(1)</script>"`).waitFor()
})

test("C-122: it says why the job waits, what decides first; one that runs does not wait", async () => {
  await page.getByRole("heading", { name: "Why it waits" }).waitFor()
  await page.getByText("No worker has ever asked for mail: start one that does. It is the next one.").waitFor()
  const { id } = await engine.send<{ id: string }>("POST", "/jobs", { type: "busy", payload: {}, timeout: "PT1H" })
  const poll = { workerId: "worker-2", jobTypes: ["busy"], maxJobs: 1, leaseSeconds: 600 }
  await engine.send("POST", "/v1/jobs/poll", poll)
  const before = page.url()
  await page.goto(`${engine.url}/ui/jobs/${id}`)
  await page.getByRole("heading", { name: "Running" }).waitFor()
  await page.getByText("Worker worker-2 is at work on it.").waitFor()
  expect(await page.getByRole("heading", { name: "Why it waits" }).count()).toBe(0)
  await page.goto(before)
})

test("D-02: what came of it is there when it has ended, without a reload", async () => {
  await work("mail", "complete", { variables: { sent: true } })
  await fact("Status").getByText("completed").waitFor()
  await page.getByRole("region", { name: "result" }).getByText(`"sent": true`).waitFor()
  expect(await fact("Last worker").innerText()).toBe("worker-1")
  expect(await page.getByRole("button", { name: "Cancel job" }).count()).toBe(0)
})

test("SEC-53: a job that failed for good leads to its dead letter, and is replayed as a new one after asking", async () => {
  const job = { type: "card", payload: { order: 77, amount: "49.90" }, priority: "critical" }
  const { id } = await engine.send<{ id: string }>("POST", "/jobs", job)
  failedId = id
  await work("card", "fail", { retryable: false, errorMessage: "The card was declined." })
  await page.goto(`${engine.url}/ui/jobs/${id}`)
  await fact("Status").getByText("failed").waitFor()
  await page.locator("pre").getByText("The card was declined.").waitFor()
  expect(await page.getByRole("link", { name: "Open the dead letter" }).getAttribute("href")).toContain(id)
  // The call would refuse it: a dead letter is replayed.
  expect(await page.getByRole("button", { name: "Run again" }).count()).toBe(0)
  await page.getByRole("button", { name: "Replay" }).click()
  await dialog().getByText("It goes back to its queue as a new job").waitFor()
  await page.keyboard.press("Escape")
  await dialog().waitFor({ state: "detached" })

  const other = await engine.send<{ id: string }>("POST", "/jobs", job)
  await work("card", "fail", { retryable: false, errorMessage: "The card was declined again." })
  await page.goto(`${engine.url}/ui/jobs/${other.id}`)
  await page.getByRole("button", { name: "Replay" }).click()
  await dialog().getByRole("button", { name: "Replay it" }).click()
  await fact("Replay of").getByText(other.id).waitFor()
  await fact("Status").getByText("pending").waitFor()

  const { page: replayed } = await openAt(`/ui/jobs/${other.id}`)
  await replayed.getByRole("button", { name: "Run again" }).click()
  await replayed.getByText(/^It was a dead letter: it was replayed by \S+ at \S+, as job \w{26}\.$/).waitFor()
  await replayed.close()
})

test("SEC-53: a job is cancelled after asking, by the keyboard alone", async () => {
  const job = { type: "later", payload: {}, delay: "PT1H" }
  const { id } = await engine.send<{ id: string }>("POST", "/jobs", job)
  await page.goto(`${engine.url}/ui/jobs/${id}`)
  await page.getByText(/^Scheduled for .* \(in /).waitFor()
  await page.keyboard.press("c")
  await dialog().getByText("It will not be handed out any more").waitFor()
  await page.keyboard.press("Escape")
  await dialog().waitFor({ state: "detached" })
  expect(await engine.get(`/jobs/${id}`)).toMatchObject({ status: "PENDING" })
  await page.keyboard.press("c")
  await dialog().getByLabel("Reason").fill("not needed")
  await page.keyboard.press("Enter")
  await fact("Status").getByText("cancelled").waitFor()
})

test("C-122: it is usable by everybody, in light and dark, and on a phone", async () => {
  await page.goto(`${engine.url}/ui/jobs/${failedId}`)
  await page.locator("pre", { hasText: "The card was declined." }).waitFor()
  await expectUsable(page, "job")
  expect(complaints).toEqual([])
})

test("a job that is not there says so", async () => {
  await page.goto(`${engine.url}/ui/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV`)
  await page.getByText("There is no such job.").waitFor()
})
