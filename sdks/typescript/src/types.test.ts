// The types of handlers and calls, checked by the compiler when the package is built.
import { expect, expectTypeOf, test } from "vitest"
import { defineHandlers, type EngineClient, type Handler, HandlerRegistry, type RunnerOptions } from "./index.ts"

interface Jobs {
  "charge-card": { input: { amount: number }; output: { receipt: string } }
  "send-mail": { input: { to: string }; output: undefined }
}

test("C-106: each handler knows the variables of its job type and what it must return", () => {
  const handlers = defineHandlers<Jobs>({
    "charge-card": async (job) => {
      expectTypeOf(job.variables).toEqualTypeOf<{ amount: number }>()
      expectTypeOf(job.idempotencyKey).toBeString()
      return { receipt: "R" }
    },
    "send-mail": (job, { signal }) => {
      expectTypeOf(job.variables.to).toBeString()
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
    },
  })
  expectTypeOf(handlers).toExtend<RunnerOptions["handlers"]>()
  expect(handlers.jobTypes()).toEqual(["charge-card", "send-mail"])
})

test("C-105: a wrong result, a missing handler and an unknown job type do not compile", () => {
  // @ts-expect-error the receipt must be a string
  defineHandlers<Jobs>({ "charge-card": () => ({ receipt: 1 }), "send-mail": () => {} })
  // @ts-expect-error "send-mail" has no handler
  expect(() => defineHandlers<Jobs>({ "charge-card": () => ({ receipt: "R" }) })).not.toThrow()
  // @ts-expect-error there is no such job type
  new HandlerRegistry<Jobs>().register("send-fax", () => {})
  // @ts-expect-error the handler wants other variables than the job type has
  new HandlerRegistry<Jobs>().register("send-mail", (job: { variables: { amount: number } }) => void job)
})

test("C-105: without types the variables are unknown, and plain objects of handlers do", () => {
  const handlers: RunnerOptions["handlers"] = {
    "charge-card": async (job) => {
      expectTypeOf(job.variables.amount).toBeUnknown()
      return { receipt: "R" }
    },
    "send-mail": async () => {},
  }
  expectTypeOf(handlers).not.toBeAny()
  expectTypeOf<Handler>().toBeFunction()
})

test("C-104: calls are typed by the variables the caller names", () => {
  type Order = { amount: number; receipt?: string }
  const typed = async (client: EngineClient) => {
    const instance = await client.startInstance<Order>({ definitionId: "order", variables: { amount: 1 } })
    expectTypeOf(instance.variables).toEqualTypeOf<Order>()
    expectTypeOf(instance.status).toEqualTypeOf<"ACTIVE" | "WAITING" | "COMPLETED" | "FAILED" | "CANCELLED">()
    // @ts-expect-error the amount is a number
    await client.startInstance<Order>({ definitionId: "order", variables: { amount: "1" } })
    for await (const { variables } of client.instances<Order>()) expectTypeOf(variables).toEqualTypeOf<Order>()
    const [reason] = await client.getWaiting("i")
    expectTypeOf(reason?.stepId).toEqualTypeOf<string | undefined>()
  }
  expect(typed).toBeTypeOf("function")
})

test("D-01: what the queue's routes have in snake_case is camelCase here, and payloads are as they are", () => {
  const typed = async (client: EngineClient) => {
    const job = await client.getJob<{ to_whom: string }, { sent_at: string }>("j")
    expectTypeOf(job.retryCount).toBeNumber()
    expectTypeOf(job.dueAt).toEqualTypeOf<string | undefined>()
    expectTypeOf(job.payload).toEqualTypeOf<{ to_whom: string }>()
    expectTypeOf(job.result).toEqualTypeOf<{ sent_at: string } | null>()
    const { history } = await client.deadLetters.get("d")
    expectTypeOf(history[0]?.endedAt).toEqualTypeOf<string | undefined>()
    expectTypeOf((await client.queues.metrics()).gates.high.oldestWaitingSeconds).toEqualTypeOf<number | null>()
    // @ts-expect-error on the wire it is fair_key, here it is fairKey
    await client.enqueue("mail", {}, { fair_key: "t" })
    expectTypeOf((await client.call("getJob", { path: { jobId: "j" } })).retry_count).toBeNumber()
  }
  expect(typed).toBeTypeOf("function")
})
