// Why a run of a list or a function does not move: one that sleeps or waits has not failed, and one that failed says so.
import { afterAll, beforeAll, expect, test } from "vitest"
import { RetryableError, sleep, step, userTask, waitForSignal, workflow } from "../../index.ts"
import { releaseJobs } from "../../operations/flow/release-jobs.ts"
import type { WaitingReason } from "../../operations/instances/explain-waiting.ts"
import { noTerm } from "../../test-support/loops.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { AnyWait } from "../authoring/elements.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

async function stopped(flow: AnyWorkflow) {
  const { id } = await mill.start(flow as never, {} as never)
  await mill.drain([flow])
  return { id, why: async () => mill.runs.handle(id).waiting() }
}

const stepsOf = (reasons: readonly WaitingReason[]) => reasons.map(({ kind, detail }) => [kind, detail.step])

const resume = { recover: "resume" } as const
const busy = (): never => {
  throw new RetryableError("the bank is busy", { baseDelay: "1h", jitterFactor: 0 })
}
const retry = { retries: 4 }

test.each<[string, AnyWorkflow]>([
  ["list", workflow("sleeping-list", { ...resume, steps: [sleep("PT10M", { name: "nap" })] })],
  ["function", workflow("sleeping-function", async (run) => run.sleep("nap", "PT10M"))],
])("a %s that sleeps says until when, and nothing of a failure", async (_, flow) => {
  const { why } = await stopped(flow)
  expect(await why()).toMatchObject([{ kind: "sleep", detail: { step: "nap", dueAt: expect.stringMatching(/Z$/) } }])
  expect((await why())[0]?.detail.message).toMatch(/^Sleeps until \S+Z \(in \d+ min\)\.$/)
})

test.each<[string, AnyWorkflow]>([
  ["list", workflow("signal-list", { ...resume, steps: [waitForSignal("paid", { as: "money", within: "PT1H" })] })],
  ["function", workflow("signal-function", async (run) => run.signal("paid", { key: "1", within: "PT1H" }))],
])("a %s that waits for a signal names it, and when it gives up", async (_, flow) => {
  const { why } = await stopped(flow)
  expect(await why()).toMatchObject([{ kind: "signal", detail: { signals: ["paid"], dueAt: expect.any(String) } }])
  expect((await why())[0]?.detail.message).toMatch(/^Waits for the signal paid, at most until \S+Z \(in \d+ min\)\.$/)
})

test.each<[string, AnyWorkflow]>([
  ["list", workflow("task-list", { ...resume, steps: [userTask({ name: "approve", group: "credit" })] })],
  ["function", workflow("task-function", async (run) => run.userTask("approve", { group: "credit" }))],
])("a %s that waits for a person says whose task it is, once", async (_, flow) => {
  const { why } = await stopped(flow)
  expect(await why()).toMatchObject([{ kind: "user-task", stepId: "approve", detail: { assigneeGroup: "credit" } }])
  expect((await why())[0]?.detail.message).toBe("Waits for a person of credit to complete the task approve.")
})

const own = { retry: { retries: 2, base: "1h", jitter: "partial" } } as const

test.each<[string, AnyWorkflow]>([
  ["list", workflow("own-list", { retry, steps: [step("pay", busy, own)] })],
  ["resumable list", workflow("own-resume", { ...resume, retry, steps: [step("pay", busy, own)] })],
])("a %s whose step has retries of its own says how many of those are spent", async (_, flow) => {
  const { why } = await stopped(flow)
  expect(await why()).toMatchObject([{ kind: "retry", detail: { failures: 1, maxAttempts: 3 } }])
  expect((await why())[0]?.detail.message).toMatch(/^Failed at attempt 1 of 3: pay: the bank is busy/)
})

test.each<[string, AnyWorkflow]>([
  ["function", workflow("own-function", { retry }, async (run) => run.step("pay", busy, own))],
  [
    "list without an end of them",
    workflow("own-unlimited", { retry, steps: [step("pay", busy, { retry: { retries: "unlimited" } })] }),
  ],
])("a %s names no number that it does not know", async (_, flow) => {
  const { why } = await stopped(flow)
  const [reason] = await why()
  expect(reason).toMatchObject({ kind: "retry", detail: { attempt: 1 } })
  expect(reason?.detail).not.toHaveProperty("maxAttempts")
})

test.each<[string, AnyWorkflow]>([
  [
    "list",
    workflow("failing-list", {
      retry,
      steps: [
        function pay() {
          busy()
        },
      ],
    }),
  ],
  [
    "resumable list",
    workflow("failing-resume", {
      ...resume,
      retry,
      steps: [
        function pay() {
          busy()
        },
      ],
    }),
  ],
  ["function", workflow("failing-function", { retry }, async (run) => run.step("pay", busy))],
])("a %s that failed says at which attempt of how many, why, and when it is tried again", async (_, flow) => {
  const { why } = await stopped(flow)
  const detail = { failures: 1, maxAttempts: 5, reason: "pay: the bank is busy", dueAt: expect.stringMatching(/Z$/) }
  expect(await why()).toMatchObject([{ kind: "retry", detail }])
  expect((await why())[0]?.detail.message).toMatch(
    /^Failed at attempt 1 of 5: pay: the bank is busy; next attempt at \S+Z \(in \d+ (min|h)\)\.$/,
  )
})

test("a run that slept before it failed has failed once, however often it was taken up", async () => {
  const flow = workflow("slept-then-failed", {
    ...resume,
    retry,
    steps: [
      sleep("PT10M"),
      function pay() {
        busy()
      },
    ],
  })
  const { why } = await stopped(flow)
  await mills.advanceClock(601_000)
  while ((await releaseJobs(mills.kernel, noTerm)) > 0);
  await mill.drain([flow])
  expect(await why()).toMatchObject([{ kind: "retry", detail: { failures: 1, maxAttempts: 5, attempt: 2 } }])
})

test("only what the run has come to now is told: a sleep that newer code has dropped is not waited for", async () => {
  const list = (element: AnyWait) => workflow("dropped", { ...resume, steps: [element] })
  const { id, why } = await stopped(list(sleep("PT10M", { name: "nap" })))
  expect(stepsOf(await why())).toEqual([["sleep", "nap"]])
  await mills.advanceClock(601_000)
  while ((await releaseJobs(mills.kernel, noTerm)) > 0);
  await mill.drain([list(waitForSignal("go"))])
  expect((await mill.runs.get(id)).status).toBe("WAITING")
  expect(stepsOf(await why())).toEqual([["signal", "go"]])
})

test("a function that waits in several branches tells each of its waits, the first to end first", async () => {
  const child = workflow("other-run", async (run) => run.sleep("long", "P1D"))
  const { why } = await stopped(
    workflow("in-branches", async (run) => {
      const nap = () => run.sleep("nap", "PT10M")
      const paid = () => run.signal("paid", { within: "PT1H" })
      await run.all({ nap, paid, other: () => run.child(child, {}) })
    }),
  )
  expect(stepsOf(await why())).toEqual([
    ["sleep", "nap"],
    ["signal", "paid"],
    ["child", "other-run"],
  ])
})

test("rows of the version before: a wait that does not say what it is for is told by its run", async () => {
  const { id, why } = await stopped(
    workflow("old-rows", async (run) => {
      await run.all({
        a: () => run.sleep("nap", "PT10M"),
        b: () => run.signal("paid"),
        c: () => run.signal("go", { key: "7" }),
      })
    }),
  )
  const before = await why()
  await mills.tables.script(`update millrace.run_steps set value = json_build_object('until', value -> 'until')
    where instance_id = '${id}'`)
  const told = (reasons: typeof before) => reasons.map(({ kind, detail }) => [kind, detail.message])
  expect(told(await why())).toEqual(told(before))
  await mills.tables.script(`delete from millrace.run_steps where instance_id = '${id}'`)
  expect(await why()).toMatchObject([{ kind: "signal", detail: { signals: expect.arrayContaining(["paid", "go"]) } }])
})
