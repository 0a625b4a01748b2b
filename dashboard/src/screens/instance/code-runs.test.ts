// The page of a run that is written as code: at which step it failed, where it sleeps, what its steps returned.
import { expect } from "vitest"
import { barriers, takePicture } from "../../test-support/browser.ts"
import { complaints, engine, page, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { workCode } from "./test-support/flows.ts"

setUpBrowser({ path: "/ui/instances", prepare: () => workCode(engine) })

async function run(workflow: string, key: string): Promise<string> {
  const headers = { "Idempotency-Key": key, "Content-Type": "application/json" }
  const taken = await fetch(`${engine.url}/v1/intake/${workflow}`, { method: "POST", headers, body: "{}" })
  expect(taken.ok).toBe(true)
  await workCode(engine)
  const { items } = await engine.get<{ items: readonly { id: string; key?: string }[] }>(
    `/v1/instances?definitionId=${workflow}`,
  )
  const id = items.find((one) => one.key === key)?.id
  expect(id).toBeDefined()
  await page.goto(`${engine.url}/ui/instances/${id}`)
  return id as string
}

interface Polled {
  readonly id: string
  readonly leaseToken: string
}

/** A bar that is scrolled out of sight is not laid out, and has no inner text. */
const textOf = (name: string) => expect.poll(() => bar(name).textContent())
const bar = (name: string) => page.getByRole("list", { name: "Step executions" }).getByRole("button", { name })

test("a list that failed in a step says so, with its stack; what comes after was not reached", async () => {
  await run("checkout", "order-1001")
  await page.getByRole("heading", { level: 1, name: "order-1001" }).waitFor()
  await page.getByRole("main").locator("nav").getByRole("link", { name: "checkout" }).waitFor()
  await page.getByRole("heading", { name: "It failed at “validate”" }).waitFor()
  const note = page.getByRole("region", { name: "Why it failed" })
  expect(await note.getByRole("region", { name: "Stack of the failure" }).innerText()).toMatch(
    /the amount is negative\n\s+at validate \(/,
  )
  await bar("fetch-order").waitFor()
  await textOf("validate").toContain("failed")
  const rest = page.getByRole("list", { name: "Steps without a time" })
  expect(await rest.innerText()).toMatch(/charge\s+not reached\s+ship\s+not reached/)
  await bar("validate").click()
  const step = page.getByRole("region", { name: "Step validate" })
  await step.getByRole("region", { name: /^Stack of Execution 1/ }).waitFor()
  expect(await page.getByText("the run", { exact: false }).count()).toBe(0)
  await expect.poll(() => barriers(page)).toEqual([])
  await takePicture(page, "code-failed")
  await page.getByRole("tab", { name: "Graph" }).click()
  await page
    .getByRole("region", { name: "Graph of checkout" })
    .getByTitle(/^validate\n/)
    .waitFor()
  await takePicture(page, "code-failed-graph")
})

test("attempts stand at their own step, and a best-effort failure does not make a completed run look failed", async () => {
  await run("payment", "order-1002")
  await page.getByText("completed").first().waitFor()
  await textOf("pay").toMatch(/attempt 1 failed[\s\S]*attempt 2 failed/)
  await textOf("reserve").not.toContain("attempt")
  await textOf("greet").toContain("failed, the run went on")
  expect(await page.getByRole("region", { name: "Why it failed" }).count()).toBe(0)
  await bar("pay").click()
  await page.getByRole("region", { name: "Step pay" }).getByText('"receipt": "r-1"').waitFor()
  await takePicture(page, "code-attempts")
})

test("an attempt whose worker was lost is drawn as such, with the reason, beside one that failed", async () => {
  const steps = [
    { id: "ship", name: "Ship", type: "SERVICE_TASK", jobType: "ship-parcel", retryCount: 3, nextStep: "end" },
    { id: "end", name: "End", type: "END" },
  ]
  await engine.send("POST", "/v1/definitions", { id: "parcel", name: "Parcel", steps })
  const { id } = await engine.send<{ id: string }>("POST", "/v1/instances", {
    definitionId: "parcel",
    linkingId: "cart-7",
  })
  const poll = (workerId: string, leaseSeconds: number) =>
    engine.send<{ jobs: readonly Polled[] }>("POST", "/v1/jobs/poll", {
      workerId,
      jobTypes: ["ship-parcel"],
      maxJobs: 1,
      leaseSeconds,
      waitSeconds: 30,
    })
  await poll("packer-1", 1)
  const {
    jobs: [job],
  } = await poll("packer-2", 60)
  const report = { workerId: "packer-2", leaseToken: job?.leaseToken }
  await engine.send("POST", `/v1/jobs/${job?.id}/fail`, { ...report, errorMessage: "no boxes", retryable: true })
  await page.goto(`${engine.url}/ui/instances/${id}?view=waterfall`)
  await textOf("Ship").toMatch(/attempt 1 was lost with packer-1: heartbeat timeout at .*attempt 2 failed at /)
  await page.getByText("worker lost", { exact: true }).waitFor()
  await page.getByText("attempt failed", { exact: true }).waitFor()
  // Unlike the attempt that failed it is an empty frame, and as long as it lasted.
  const lost = bar("Ship").locator(".border-dashed")
  expect(await lost.count()).toBe(1)
  expect(await lost.evaluate((piece) => Number.parseFloat((piece as HTMLElement).style.width))).toBeGreaterThan(1)
  await page.locator("dl > div", { hasText: "Linking id" }).getByText("cart-7").waitFor()
  await expect.poll(() => barriers(page)).toEqual([])
  await takePicture(page, "attempt-lost")
})

test("a run that sleeps says until when, at its own step, and what its steps have returned", async () => {
  await run("cooling-off", "order-1003")
  await page.getByText(/^sleeping until \d/).waitFor()
  await textOf("cool-down").toMatch(/sleeps until \d/)
  await page.getByRole("heading", { name: "What its steps returned" }).waitFor()
  await page.getByText('"order": 7').waitFor()
  await page.getByText("order-1003").first().waitFor()
  await takePicture(page, "code-sleeping")
})

test("the find box finds runs by the beginning of their key, and the list shows the key in its row", async () => {
  await page.goto(`${engine.url}/ui/instances`)
  await page.getByRole("link", { name: "order-1003" }).waitFor()
  const box = page.getByRole("combobox", { name: /^Find/ })
  await box.fill("order-100")
  const option = (name: RegExp) => page.getByRole("option", { name })
  await option(/^order-1001\s*key · checkout$/).waitFor()
  await takePicture(page, "code-find")
  await option(/^order-1002\s*key · payment$/).click()
  await page.getByRole("heading", { level: 1, name: "order-1002" }).waitFor()
})

test("a function is drawn as it unfolded, with its branches and a link to its child", async () => {
  await run("fulfilment", "order-1004")
  await bar("send mail").waitFor()
  await bar("shipping").click()
  const child = page.getByRole("region", { name: "Step shipping" }).getByRole("link")
  await takePicture(page, "code-function")
  await page.getByRole("tab", { name: "Graph" }).click()
  await page
    .getByRole("region", { name: "Graph of fulfilment" })
    .getByTitle(/^send mail\n/)
    .waitFor()
  await takePicture(page, "code-function-graph")
  await child.click()
  await page.getByRole("heading", { name: "shipping" }).waitFor()
  expect(complaints).toEqual([])
})
