// How often and when a message is tried again, and which jobs are a consumer's.
import { expect, test } from "vitest"
import type { Message } from "./message.ts"
import { CONSUMER_RETRY, consumerName, planRetry, readRetried } from "./retried-message.ts"

test("F-14: a message that was tried has 2, 4, 8, 16 and 32 s before it", () => {
  const plan = planRetry(CONSUMER_RETRY, 1, () => 0)
  expect(plan).toEqual({ delayMs: 2_000, retry: { ...CONSUMER_RETRY, retries: 4, baseMs: 4_000 } })
})

test("one that has waited behind another has all of its attempts", () => {
  expect(planRetry(CONSUMER_RETRY, 0, () => 0)).toEqual({ delayMs: 0, retry: CONSUMER_RETRY })
})

test("without retries there is no second attempt", () => {
  expect(planRetry({ ...CONSUMER_RETRY, retries: 0 }, 1, () => 0)).toBeUndefined()
})

test("only what a consumer has made is its job", () => {
  const message: Message = { id: "e", type: "t", key: null, headers: {}, createdAt: 0, content: { payload: {} } }
  const retried = { message, tried: 1 }
  expect(readRetried(JSON.parse(JSON.stringify(retried)))).toEqual(retried)
  for (const other of [{}, { message: {}, tried: 1 }, { message: { id: "e" }, tried: 1 }, { message, tried: "1" }])
    expect(readRetried(JSON.parse(JSON.stringify(other)))).toBeUndefined()
})

test("its jobs have a type of their own", () => {
  expect(consumerName("settlement", "payment.initiated")).toBe("consume:settlement:payment.initiated")
})
