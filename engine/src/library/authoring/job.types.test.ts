// What the compiler knows of jobs: which payload a handler reads, and which one may be enqueued.
import { expectTypeOf, test } from "vitest"
import type { JsonObject } from "../../support/json.ts"
import type { Mill } from "../running/mill.ts"
import type { job as author, JobCall, JobPayload } from "./job.ts"
import type { StandardSchemaV1 } from "./standard-schema.ts"
import { workflow } from "./workflow.ts"

// What is refused at run time is proved elsewhere: here nothing is called.
const job = (() => undefined) as unknown as typeof author
declare const mill: Mill
const schema = {} as StandardSchemaV1<{ to: string }, { to: string; domain: string }>

const typed = job("typed", async ({ payload }: JobCall<{ amount: number }>) => ({ half: payload.amount / 2 }))
const checked = job("checked", ({ payload }) => ({ domain: payload.domain }), { input: schema })
const plain = job("plain", ({ payload }) => ({ same: payload.anything }))

test("a payload is what the handler declares, what goes into its schema, or any object", () => {
  expectTypeOf<JobPayload<typeof typed>>().toEqualTypeOf<{ amount: number }>()
  expectTypeOf<JobPayload<typeof checked>>().toEqualTypeOf<{ to: string }>()
  expectTypeOf<JobPayload<typeof plain>>().toEqualTypeOf<JsonObject>()
  expectTypeOf<JobPayload<"by-name">>().toEqualTypeOf<object>()
})

test("a handler with a schema reads what comes out of it", () => {
  job("out", ({ payload }) => expectTypeOf(payload).toEqualTypeOf<{ to: string; domain: string }>(), { input: schema })
  // @ts-expect-error: the schema gives no `subject`.
  job("out", ({ payload }) => ({ subject: payload.subject }), { input: schema })
})

test("what does not fit does not compile", () => {
  const never = () => {
    void mill.enqueue(typed, { amount: 1 })
    // @ts-expect-error: a text is no amount.
    void mill.enqueue(typed, { amount: "1" })
    // @ts-expect-error: `to` is missing.
    void mill.enqueue(checked, {})
    void mill.enqueue("by-name", { anything: true })
    // @ts-expect-error: a payload is an object.
    void mill.enqueue("by-name", "text")
    // @ts-expect-error: there are three priorities.
    void mill.enqueue(plain, {}, { priority: "urgent" })
    void mill.enqueueMany(typed, [{ amount: 1 }])
    // @ts-expect-error: one of them does not fit.
    void mill.enqueueMany(typed, [{ amount: 1 }, { amount: null }])
    void mill.enqueueMany([
      { type: "a", payload: {}, key: "k" },
      { type: typed, payload: { amount: 1 } },
    ])
    void mill.work([typed, checked, workflow("w", { steps: [function first() {}] })])
    // @ts-expect-error: a function alone has no name to be enqueued by.
    void mill.work([() => {}])
    // @ts-expect-error: a misspelt option.
    job("a", () => {}, { retires: 3 })
  }
  expectTypeOf(never).toBeFunction()
})
