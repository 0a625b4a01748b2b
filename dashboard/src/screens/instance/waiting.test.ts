// Why something does not move, on the page: of each kind of reason the page has the words that REST has, whatever stands so.
import { describe, expect } from "vitest"
import { takePicture } from "../../test-support/browser.ts"
import { complaints, engine, page, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { expectUsable } from "../../test-support/expect-usable.ts"
import { workFlows } from "./test-support/flows.ts"
import { handWork, type Work } from "./test-support/hand-work.ts"

interface Reason {
  readonly kind: string
  readonly detail: { readonly message: string }
}

let work: Work

setUpBrowser({
  path: "/ui/instances",
  prepare: async () => {
    work = handWork(engine)
    await workFlows(engine)
    const boundaryEvents = [{ type: "TIMER", duration: "PT1H", interrupting: true, targetStepId: "late" }]
    const steps = [
      { id: "paid", name: "Paid", type: "WAIT", nextStep: "end", boundaryEvents },
      { id: "late", name: "late", type: "SERVICE_TASK", jobType: "late", nextStep: "end" },
      { id: "end", name: "End", type: "END" },
    ]
    await engine.send("POST", "/v1/definitions", { id: "timed", name: "Timed", steps })
    await engine.send("POST", "/v1/definitions", { id: "unserved", name: "Unserved", steps: steps.slice(1) })
    await engine.send("POST", "/v1/pauses", { kind: "jobType", name: "paused", reason: "the bank is closed" })
    await engine.send("PUT", "/v1/downstreams/bank", { perSecond: 0.1 })
  },
})

const started = async (definitionId: string): Promise<string> =>
  (await engine.send<{ id: string }>("POST", "/v1/instances", { definitionId })).id
const enqueued = async (type: string, more: object = {}): Promise<string> =>
  (await engine.send<{ id: string }>("POST", "/jobs", { type, payload: {}, ...more })).id

async function run(definitionId: string): Promise<string> {
  const id = await started(definitionId)
  await workFlows(engine)
  return id
}

/** Opens the page of it, and finds there what REST says, but for the times: these are the reader's. */
async function expectSameWords(id: string, kind: string, place: "instances" | "jobs"): Promise<void> {
  const { reasons } = await engine.get<{ reasons: readonly Reason[] }>(`/v1/${place}/${id}/waiting`)
  const reason = reasons.find((one) => one.kind === kind)
  expect(reasons.map((one) => one.kind)).toContain(kind)
  await page.goto(`${engine.url}/ui/${place}/${id}`)
  // The page has a link in the place of a child's id.
  const message = (reason?.detail.message ?? "").replace(/ \(\w{26}\)/, "")
  const pieces = message.split(/\d{4}-\d{2}-\d{2}T\S+?Z(?: \([^)]*\))?/)
  const shape = new RegExp(pieces.map((piece) => escaped(piece.trim())).join(".*"))
  const row = page.getByRole("listitem").filter({ hasText: shape })
  await row.first().waitFor()
  expect(await row.count()).toBe(1)
  if (kind !== "retry") expect(await page.getByText(/failed and is tried again|Failed at/).count()).toBe(0)
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" ", "\\s+")

describe("a run", () => {
  test.each([
    ["sleep", "nap-list"],
    ["sleep", "nap-function"],
    ["signal", "paid-list"],
    ["signal", "paid-function"],
    ["user-task", "ask-list"],
    ["retry", "failed-list"],
    ["retry", "failed-resume"],
    ["retry", "failed-function"],
    ["child", "parent"],
  ])("C-122: %s, of %s", async (kind, definitionId) => {
    await expectSameWords(await run(definitionId), kind, "instances")
    await takePicture(page, `waiting-${definitionId}`)
  })

  test("C-122: returned, of a function whose code has changed", async () => {
    const id = await run("renamed")
    await engine.send("POST", `/v1/instances/${id}/signals/go`, {})
    await workFlows(engine, true)
    await expectSameWords(id, "returned", "instances")
  })
})

test("C-122: timer, of a graph", async () => {
  await expectSameWords(await started("timed"), "timer", "instances")
})

test("C-122: where no worker asks for its job, a whole one can be copied, and used by everybody", async () => {
  await page.goto(`${engine.url}/ui/instances/${await started("unserved")}`)
  await page.getByText("Connect a worker", { exact: true }).click()
  const code = page.getByRole("region", { name: "A worker in TypeScript" })
  expect(await code.innerText()).toContain('"late": async (job: Job) =>')
  await page.getByText("Save the worker as worker.mts").waitFor()
  await page.getByRole("tab", { name: "Go", exact: true }).click()
  await page.getByRole("button", { name: "Copy the worker in Go" }).waitFor()
  await expectUsable(page, "waiting-connect-worker")
})

describe("a job", () => {
  test.each([
    ["scheduled", "later", { delay: "PT10M" }],
    ["job-queued", "queued", {}],
    ["paused", "paused", {}],
    ["pace", "paced", { downstream: "bank" }],
  ])("C-122: %s", async (kind, type, options) => {
    await expectSameWords(await enqueued(type, options), kind, "jobs")
  })

  test("C-122: job-leased, limit and retry", async () => {
    const limit = { key: "ada", max: 1 }
    const [leased, held] = [await enqueued("limited", { limit }), await enqueued("limited", { limit })]
    const job = await work.claim("limited")
    await expectSameWords(leased, "job-leased", "jobs")
    await expectSameWords(held, "limit", "jobs")
    await work.report(job, "fail", { retryable: true, errorMessage: "the bank is busy", retryAfter: 3_600 })
    await expectSameWords(leased, "retry", "jobs")
  })
})

test("a run that waits for a child leads to it", async () => {
  const id = await run("parent")
  await page.goto(`${engine.url}/ui/instances/${id}`)
  await page.getByRole("link", { name: "Open the child" }).click()
  await page.waitForURL((url) => /\/instances\/\w{26}$/.test(url.pathname) && !url.pathname.endsWith(id))
  await page.getByText("child", { exact: true }).first().waitFor()
})

test("a wait with a duration waits for its time, in the history as well", async () => {
  const steps = [
    { id: "cool", name: "Cool off", type: "WAIT", duration: "PT1H", nextStep: "end" },
    { id: "end", name: "End", type: "END" },
  ]
  await engine.send("POST", "/v1/definitions", { id: "cooling", name: "Cooling", steps })
  await page.goto(`${engine.url}/ui/instances/${await started("cooling")}?panel=history`)
  const row = page.getByRole("table", { name: "History of the instance" }).locator("tbody tr")
  await row.getByText("waits for its time").waitFor()
  expect(await row.innerText()).not.toContain("waits for a signal")
})

test("nothing of it makes the page complain", () => {
  expect(complaints).toEqual([])
})
