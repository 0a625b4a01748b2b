// What a worker may say that it can take.
import { expect, test } from "vitest"
import { Credit, creditFault } from "./credit.ts"

test("credit adds up to ten thousand jobs and no further", () => {
  const credit = new Credit()
  credit.add(9_000)
  credit.add(2_000)
  expect(credit.left).toBe(10_000)
  credit.spend(10_000)
  expect(credit.left).toBe(0)
  credit.add(2_147_483_647)
  expect(credit.left).toBe(10_000)
})

test("none is fine, and less than none is not", () => {
  expect(creditFault(0)).toBeUndefined()
  expect(creditFault(-1)).toMatchObject({ code: "bad-request" })
})
