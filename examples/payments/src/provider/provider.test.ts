// The mock provider and its books.
import { afterAll, beforeAll, expect, test } from "vitest"
import { Ledger } from "./ledger.ts"
import { type RunningProvider, startProvider } from "./server.ts"

let provider: RunningProvider
let dice: number[] = []
beforeAll(async () => {
  provider = await startProvider({ hangShare: 0.1, hangMs: 1, successShare: 0.9, random: () => dice.shift() ?? 0.5 })
})
afterAll(() => provider.close())

const charge = async (key: string | undefined, paymentId = `payment-${key}`) => {
  const headers = { "content-type": "application/json", ...(key ? { "idempotency-key": key } : {}) }
  const body = JSON.stringify({ payment_id: paymentId, amount: "1.00", currency: "EUR" })
  const response = await fetch(`${provider.url}/charge`, { method: "POST", headers, body })
  return { code: response.status, ...((await response.json()) as { status: string; transaction_id: string }) }
}

test("F-19: nine of ten charges succeed, and a decline is HTTP 200 with status failed", async () => {
  dice = [0.5, 0.89, 0.5, 0.9]
  const [good, bad] = [await charge("a"), await charge("b")]
  expect(good).toMatchObject({ code: 200, status: "succeeded" })
  expect(bad).toMatchObject({ code: 200, status: "failed" })
})

test("F-19: one of ten hangs before it is charged, and is charged all the same", async () => {
  dice = [0.09, 0.5]
  expect((await charge("c")).status).toBe("succeeded")
  expect(dice).toEqual([])
})

test("F-X9: a repeat of a key is told what the first was told, and charges nothing", async () => {
  dice = [0.5, 0.5]
  const first = await charge("d", "p-d")
  dice = [0.5, 0.99]
  expect(await charge("d", "p-d")).toEqual(first)
  expect(provider.ledger.entries.find(({ key }) => key === "d")).toMatchObject({ asked: 2, status: "succeeded" })
  expect(provider.ledger.totals.doubled).toEqual([])
})

test("a charge without a key is refused", async () => {
  expect(await charge(undefined)).toMatchObject({ code: 400 })
})

test("the books tell of a payment that was charged under two keys", () => {
  const ledger = new Ledger(1)
  ledger.charge("one", "p")
  ledger.charge("two", "p")
  ledger.charge("two", "p")
  expect(ledger.totals).toMatchObject({ asked: 3, charged: 2, doubled: ["p"] })
})

test("what is cancelled is never charged, and what is charged is not cancelled", () => {
  const ledger = new Ledger(1)
  ledger.cancel("a")
  expect(ledger.charge("a", "p").status).toBe("cancelled")
  ledger.charge("b", "q")
  expect(ledger.cancel("b").status).toBe("succeeded")
  expect(ledger.refund("b")?.isRefunded).toBe(true)
  expect(ledger.refund("c")).toBeUndefined()
})
