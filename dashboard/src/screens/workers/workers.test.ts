import { expect } from "vitest"
import { complaints, engine, page, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { expectUsable } from "../../test-support/expect-usable.ts"

setUpBrowser({ path: "/ui/workers" })

const enqueue = (type: string) => engine.send("POST", "/jobs", { type, payload: {} })

test("who asks for what is seen as soon as it asks, and what it has in flight", async () => {
  await page.getByRole("row", { name: /sample-worker asks for work sample.greet 0/ }).waitFor()
  await enqueue("mail")
  await engine.send("POST", "/v1/jobs/poll", { workerId: "mailer-1", jobTypes: ["mail", "post"], maxJobs: 5 })
  const row = page.getByRole("row", { name: /^mailer-1 asks for work mail post 1 / })
  await row.waitFor()
  expect(await row.locator("time").count()).toBe(3)
  await row.getByRole("link", { name: "1" }).click()
  await page.waitForURL(/\/ui\/jobs\?status=leased/)
  await page.getByRole("row", { name: /mailer-1/ }).waitFor()
  await page.goBack()
})

test("a worker that hangs up leaves the list at once", async () => {
  const worker = new AbortController()
  const body = JSON.stringify({ workerId: "leaver", jobTypes: ["mail-later"], maxJobs: 1, waitSeconds: 30 })
  const headers = { "content-type": "application/json" }
  const asking = fetch(`${engine.url}/v1/jobs/poll`, { method: "POST", headers, body, signal: worker.signal })
  const row = page.getByRole("row", { name: /^leaver / })
  await row.filter({ hasText: "asks for work" }).waitFor()
  worker.abort()
  await expect(asking).rejects.toThrow()
  // One that only fell silent is there for 45 seconds.
  await row.waitFor({ state: "detached", timeout: 35_000 })
})

test("of many job types the first are named and the others counted: a row stays a row", async () => {
  const jobTypes = ["a", "b", "c", "d", "e"].map((name) => `type-${name}`)
  await engine.send("POST", "/v1/jobs/poll", { workerId: "versatile", jobTypes, maxJobs: 1 })
  await page.getByRole("row", { name: /^versatile asks for work type-a type-b type-c \+2 more 0 / }).waitFor()
})

test("SEC-50: a worker may call itself what it likes: it is text", async () => {
  const workerId = `<b onclick="alert(1)">x</b>`
  await engine.send("POST", "/v1/jobs/poll", { workerId, jobTypes: ["mail"], maxJobs: 1 })
  await page.getByRole("cell", { name: workerId, exact: true }).waitFor()
})

test("jobs that wait while no worker asks for their type are a warning", async () => {
  await enqueue("forgotten")
  await enqueue("forgotten")
  const warning = page.getByRole("region", { name: "Job types that no worker asks for" })
  await warning.getByText("forgotten: 2 jobs wait, no worker has ever asked for it").waitFor()
  expect(await warning.getByRole("listitem").count()).toBe(1)
})

test("a worker for such a type can be copied, in the language that is chosen", async () => {
  await enqueue("unserved")
  const warning = page.getByRole("region", { name: "Job types that no worker asks for" })
  const ofType = warning.getByRole("listitem").filter({ hasText: "unserved" })
  await ofType.getByText("Connect a worker").click()
  const code = (language: string) => warning.getByRole("region", { name: `A worker in ${language}` }).innerText()
  expect(await code("TypeScript")).toContain('"unserved": async (job: Job) =>')
  await ofType.getByRole("tab", { name: "Python" }).click()
  expect(await code("Python")).toContain('handlers = {"unserved": handle}')
  await warning.getByRole("button", { name: "Copy the worker in Python" }).waitFor()
  await warning.getByText("Save the worker as worker.py").waitFor()
  await warning.getByText("pip install ../millrace/sdks/python").waitFor()
})

test("C-122: it is usable by everybody, in light and dark, and on a phone", async () => {
  await expectUsable(page, "workers")
  expect(complaints).toEqual([])
})
