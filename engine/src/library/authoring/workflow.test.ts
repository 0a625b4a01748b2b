// What `workflow()` makes of a list or a function, and what it refuses with a word on what to do.
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { bestEffort, sleep, step, userTask, waitForSignal } from "./elements.ts"
import type { StandardSchemaV1 } from "./standard-schema.ts"
import type { Step, TxStep } from "./step-types.ts"
import { workflow } from "./workflow.ts"

async function validatePayload() {}
function createAccount({ key }: Step) {
  return { patientUuid: key }
}
const checkout = ({ context }: Step<unknown, { patientUuid: string }>) => ({ order: context.patientUuid })

describe("a list", () => {
  test("A-20: steps are plain functions, known by their names", () => {
    const onboarding = workflow("onboarding", { steps: [validatePayload, createAccount, checkout] })
    expect(onboarding).toMatchObject({ kind: "list", name: "onboarding", recover: "restart", claim: "lease" })
    expect(onboarding.retry).toEqual({ errors: "marked", retries: 20 })
    expect(onboarding.elements).toEqual([
      { kind: "step", name: "validatePayload", run: validatePayload, bestEffort: false, was: [] },
      { kind: "step", name: "createAccount", run: createAccount, bestEffort: false, was: [] },
      { kind: "step", name: "checkout", run: checkout, bestEffort: false, was: [] },
    ])
    expect("input" in onboarding || "body" in onboarding || "priority" in onboarding).toBe(false)
  })

  test("A-25: best effort is a mark on a step, whatever its form", () => {
    const cards = workflow("cards", {
      steps: [bestEffort(createAccount), bestEffort(step("again", createAccount, { was: "once" }))],
    })
    expect(cards.elements).toEqual([
      { kind: "step", name: "createAccount", run: createAccount, bestEffort: true, was: [] },
      { kind: "step", name: "again", run: createAccount, bestEffort: true, was: ["once"] },
    ])
  })

  test("waits are elements with a name", () => {
    const Payment = z.object({ amount: z.number() })
    const { elements } = workflow("order", {
      recover: "resume",
      steps: [
        waitForSignal("paid", { within: "P3D", schema: Payment }),
        waitForSignal("paid", { as: "paidAgain", was: "second" }),
        sleep("PT24H"),
        sleep("PT24H", { name: "nextDay" }),
        userTask({ name: "approve", assignee: "ada", dueIn: "P1D" }),
      ],
    })
    expect(elements).toEqual([
      { kind: "signal", name: "paid", signal: "paid", bestEffort: false, was: [], within: "P3D", schema: Payment },
      { kind: "signal", name: "paidAgain", signal: "paid", bestEffort: false, was: ["second"] },
      { kind: "sleep", name: "sleep:PT24H", duration: "PT24H", bestEffort: false, was: [] },
      { kind: "sleep", name: "nextDay", duration: "PT24H", bestEffort: false, was: [] },
      { kind: "task", name: "approve", assignee: "ada", dueIn: "P1D", bestEffort: false, was: [] },
    ])
  })

  test("it is frozen, with all that is in it", () => {
    const onboarding = workflow("onboarding", { input: z.object({}), steps: [step("a", createAccount)] })
    for (const part of [onboarding, onboarding.elements, onboarding.elements[0], onboarding.retry]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
    expect(() => Object.assign(onboarding, { name: "other" })).toThrow(TypeError)
  })

  test("A-37: a transaction may hold a restart list", () => {
    const write = ({ tx }: TxStep) => void tx.query("select 1")
    expect(workflow("ledger", { steps: [write], claim: "transaction" }).claim).toBe("transaction")
  })
})

describe("a function", () => {
  test("it stands alone, or after options", async () => {
    const body = async () => "done"
    expect(workflow("billing", body)).toMatchObject({ kind: "function", body, elements: [], recover: "resume" })
    const input = z.object({ total: z.number() })
    expect(workflow("billing", { input, retry: { retries: "unlimited" } }, body)).toMatchObject({
      body,
      input,
      retry: { retries: "unlimited" },
    })
  })
})

/** As a caller without types writes it. */
const untyped = workflow as unknown as (name: unknown, ...more: unknown[]) => unknown
const list = (options: object) => () => untyped("onboarding", { steps: [createAccount], ...options })

test.each<[string, () => unknown, string]>([
  [
    "an anonymous step",
    list({ steps: [createAccount, () => {}] }),
    'steps[1] is an anonymous function: give it a name, or write step("name", fn)',
  ],
  ["an anonymous best-effort step", list({ steps: [bestEffort(() => {})] }), "steps[0] is an anonymous function"],
  [
    "a bound function",
    list({ steps: [createAccount.bind(null)] }),
    'steps[0] is called "bound createAccount", but a name has',
  ],
  ["an odd name", list({ steps: [step("crée compte", createAccount)] }), 'write step("name", fn)'],
  ["a name that is a trap", list({ recover: "resume", steps: [waitForSignal("__proto__")] }), "give it another name"],
  [
    "the same function twice",
    list({ steps: [createAccount, createAccount] }),
    'two steps are called `createAccount`: name one with step("name", fn)',
  ],
  [
    "two sleeps of one length",
    list({ recover: "resume", steps: [sleep("PT1H"), sleep("PT1H")] }),
    'sleep(duration, { name: "name" })',
  ],
  ["a signal twice", list({ recover: "resume", steps: [waitForSignal("a"), waitForSignal("a")] }), '{ as: "name" }'],
  [
    "an old name in use",
    list({ steps: [createAccount, step("b", () => {}, { was: "createAccount" })] }),
    "`was` names `createAccount`",
  ],
  [
    "a name without a function",
    list({ steps: [step("a", 7 as unknown as () => void)] }),
    'steps[0], `a`, has no function: write step("name", fn)',
  ],
  [
    "a wait with something that is no schema",
    list({ recover: "resume", steps: [userTask({ name: "a", schema: {} as StandardSchemaV1 })] }),
    "has a schema that is no Standard Schema validator",
  ],
  ["an empty list", list({ steps: [] }), "`steps` is empty"],
  [
    "a hole in the list",
    list({ steps: [undefined] }),
    "steps[0] must be a function, step(), bestEffort(), waitForSignal(), sleep() or userTask(), not undefined (imported in a circle",
  ],
  ["something else in the list", list({ steps: ["createAccount"] }), "not a string"],
  [
    "a wait in a restart list",
    list({ steps: [createAccount, sleep("PT1H")] }),
    '`sleep:PT1H` is a wait, and a restart list would run everything before it again: use recover: "resume"',
  ],
  [
    "a wait in a transaction",
    list({ claim: "transaction", steps: [sleep("PT1H")] }),
    "a transaction cannot stay open over it",
  ],
  [
    "a transaction over checkpoints",
    list({ claim: "transaction", recover: "resume" }),
    'claim: "transaction" works only with recover: "restart"',
  ],
  [
    "an unknown way to recover",
    list({ recover: "again" }),
    '`recover` must be one of "restart", "resume", not "again"',
  ],
  ["an unknown claim", list({ claim: "lock" }), '`claim` must be one of "lease", "transaction"'],
  ["an unknown priority", list({ priority: "urgent" }), "`priority` must be one of"],
  ["a mistyped option", list({ retries: 3 }), "unknown option `retries`"],
  ["half a retry", list({ retry: { retries: 1.5 } }), "`retry.retries` must be a whole number from 0 to 10000"],
  ["more retries than can be said", list({ retry: { retries: 10_001 } }), "must be a whole number from 0 to 10000"],
  [
    "a bad deadline",
    list({ deadline: "3 days" }),
    '`deadline` is not a valid duration: "3 days"; write it like 500ms, 30s, 1h30m or 2d',
  ],
  ["a bad retention", list({ retain: "P1M" }), "`retain` is not a valid duration"],
  ["something that is no schema", list({ input: { type: "object" } }), "`input` must be a Standard Schema validator"],
  [
    "a bad form",
    list({
      recover: "resume",
      steps: [userTask({ name: "t", form: { properties: { a: { type: "date" as "string" } } } })],
    }),
    "$.steps[0].form.properties.a.type must be one of",
  ],
  [
    "neither list nor function",
    () => untyped("onboarding", {}),
    "needs `steps: [...]`, or a function as the last argument",
  ],
  ["nothing", () => untyped("onboarding"), "the second argument must be options or a function"],
  ["steps beside a function", () => untyped("onboarding", { steps: [] }, () => {}), "unknown option `steps`"],
])("%s is refused", (_, author, message) => {
  expect(author).toThrow("workflow onboarding: ")
  expect(author).toThrow(message)
})

test.each([
  ["a bad sleep", () => sleep("24 hours")],
  ["a bad limit", () => waitForSignal("paid", { within: "P3M" })],
  ["no time at all", () => sleep("0s")],
])("%s is refused where it is written", (_, author) => expect(author).toThrow("is not a valid duration"))

test.each(["", "my flow", "a.b", "x".repeat(129), 7])("%j cannot name a workflow", (name) => {
  expect(() => untyped(name, () => {})).toThrow("cannot name a workflow")
})
