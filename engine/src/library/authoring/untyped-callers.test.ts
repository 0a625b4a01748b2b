// What plain JavaScript lets a caller write that the compiler would not: refused where it is written, with how it is meant.
import { expect, test } from "vitest"
import { sleep, step, userTask, waitForSignal } from "./elements.ts"
import { job } from "./job.ts"
import { workflow } from "./workflow.ts"

/** As a caller without types calls it. */
const untyped = (call: unknown) => call as (...given: unknown[]) => unknown

test.each<[string, () => unknown, string]>([
  ["a sleep of nothing", () => untyped(sleep)(), 'a sleep does not say how long: write sleep("24h")'],
  ["a sleep of undefined", () => untyped(sleep)(undefined), 'a sleep does not say how long: write sleep("24h")'],
  ["a wait for nothing", () => untyped(waitForSignal)(), 'a wait has no signal: write waitForSignal("approved")'],
  ["a wait without a name", () => waitForSignal(""), 'a wait has no signal: write waitForSignal("approved")'],
  [
    "a timeout of a wait",
    () => untyped(waitForSignal)("a", { timeout: "1h" }),
    "unknown option `timeout`: did you mean `within`?",
  ],
  [
    "options that are a text",
    () => untyped(waitForSignal)("a", "3s"),
    "the signal a: options are an object, such as { within: … }, not a string",
  ],
  [
    "a task that is a text",
    () => untyped(userTask)("review"),
    'a user task is written userTask({ name: "review" }), not with a string',
  ],
  [
    "a task of nothing",
    () => untyped(userTask)(),
    'a user task is written userTask({ name: "review" }), not with nothing',
  ],
  [
    "a list where options are",
    () => untyped(step)("a", () => {}, ["b"]),
    "step a: options are an object, such as { retry: … }, not an array",
  ],
  [
    "a number where options are",
    () => untyped(job)("a", () => {}, 5),
    "job a: options are an object, such as { priority: … }, not a number",
  ],
  [
    "a workflow by its options",
    () => untyped(workflow)({ name: "a", steps: [] }),
    'an object cannot name a workflow: the name comes first, as in workflow("order", …)',
  ],
  [
    "a workflow without a name",
    () => untyped(workflow)(async () => {}),
    'a function cannot name a workflow: the name comes first, as in workflow("order", …)',
  ],
  [
    "options behind the function",
    () => untyped(workflow)("a", async () => {}, { retry: "all" }),
    "workflow a: its options stand before the function: workflow(name, { … }, fn)",
  ],
  [
    "options behind a list",
    () => untyped(workflow)("a", { steps: [step("b", () => {})] }, { retry: "all" }),
    "workflow a: the last argument must be a function; the options of a list stand beside its `steps`",
  ],
  [
    "a retry by attempts",
    () => workflow("a", { retry: { maxAttempts: 3 } as object }, () => {}),
    "`retry` has an unknown option `maxAttempts`: did you mean `retries`, which does not count the first attempt?",
  ],
  [
    "a retry by its retries",
    () => workflow("a", { retry: { maxRetries: 3 } as object }, () => {}),
    "`retry` has an unknown option `maxRetries`: did you mean `retries`?",
  ],
  [
    "retries beside it",
    () => untyped(workflow)("a", { retries: 3 }, () => {}),
    "workflow a: unknown option `retries`: write `retry: { retries: … }`",
  ],
  [
    "attempts of a step",
    () => untyped(step)("a", () => {}, { attempts: 3 }),
    "step a: unknown option `attempts`: write `retry: { retries: … }`, which does not count the first attempt",
  ],
  [
    "attempts of a job",
    () => untyped(job)("a", () => {}, { attempts: 3 }),
    "job a: unknown option `attempts`: did you mean `retries`, which does not count the first attempt?",
  ],
])("%s is refused", (_, call, message) => {
  expect(call).toThrow(message)
})
