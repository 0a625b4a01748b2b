// The state machine, all twenty-five pairs.
import { expect, test } from "vitest"
import { mayBecome, STATUSES } from "./status.ts"

const LEGAL = [
  "PENDING → PROCESSING",
  "PROCESSING → SETTLED",
  "PROCESSING → FAILED",
  "SETTLED → REFUNDED",
  "FAILED → PENDING",
]
const pairs = STATUSES.flatMap((from) => STATUSES.map((to) => ({ from, to, name: `${from} → ${to}` })))

test("F-T8: there are twenty-five transitions to judge", () => {
  expect(pairs).toHaveLength(25)
  expect(LEGAL.filter((legal) => !pairs.some(({ name }) => name === legal))).toEqual([])
})

test.each(pairs)("F-13, F-T8: $name", ({ from, to, name }) => {
  expect(mayBecome(from, to)).toBe(LEGAL.includes(name))
})
