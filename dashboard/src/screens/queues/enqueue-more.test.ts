import { expect, test } from "vitest"
import { fieldsOf, NO_MORE } from "./enqueue-more.tsx"

test("what is left empty is not sent", () => {
  expect(fieldsOf(NO_MORE)).toEqual({})
  const more = {
    retries: "0",
    key: " order-7 ",
    timeout: { amount: "2", unit: "minutes" },
    downstream: "smtp",
  } as const
  expect(fieldsOf(more)).toEqual({ retries: 0, key: "order-7", timeout: "PT2M", downstream: "smtp" })
})

test.each([{ retries: "-1" }, { retries: "1.5" }, { retries: "10001" }, { downstream: "a b" }])(
  "%o cannot be taken",
  (wrong) => expect(fieldsOf({ ...NO_MORE, ...wrong })).toBeUndefined(),
)
