// How far events are settled, look by look.
import { expect, test } from "vitest"
import { NOTHING_SETTLED, seeFurther } from "./horizon.ts"

test("S17: with no other transaction open, all that was given out is settled at once", () => {
  expect(seeFurther(NOTHING_SETTLED, { lastSeq: 7, xid: 100, xmin: 100 })).toEqual({ settledSeq: 7 })
  expect(seeFurther({ settledSeq: 7 }, { lastSeq: 9, xid: 100, xmin: 101 })).toEqual({ settledSeq: 9 })
})

test("S17, F57: while an older transaction is open nothing is, and after it all that it may have brought", () => {
  const first = seeFurther(NOTHING_SETTLED, { lastSeq: 7, xid: 100, xmin: 98 })
  expect(first).toEqual({ settledSeq: 0, pending: { lastSeq: 7, xid: 100 } })
  const second = seeFurther(first, { lastSeq: 9, xid: 103, xmin: 99 })
  expect(second).toEqual(first)
  const third = seeFurther(second, { lastSeq: 12, xid: 105, xmin: 100 })
  expect(third).toEqual({ settledSeq: 7, pending: { lastSeq: 12, xid: 105 } })
})

test("a sighting never takes back what is settled", () => {
  const horizon = { settledSeq: 9, pending: { lastSeq: 8, xid: 100 } }
  expect(seeFurther(horizon, { lastSeq: 9, xid: 104, xmin: 102 }).settledSeq).toBe(9)
})

test("F56: after a standby that was behind has taken over, places that are given out again are not settled", () => {
  expect(seeFurther({ settledSeq: 1_000 }, { lastSeq: 928, xid: 5, xmin: 5 })).toEqual({ settledSeq: 928 })
  expect(seeFurther({ settledSeq: 1_000 }, { lastSeq: 928, xid: 5, xmin: 4 })).toEqual({
    settledSeq: 0,
    pending: { lastSeq: 928, xid: 5 },
  })
  const waiting = { settledSeq: 900, pending: { lastSeq: 1_000, xid: 9 } }
  expect(seeFurther(waiting, { lastSeq: 928, xid: 12, xmin: 10 })).toEqual({
    settledSeq: 0,
    pending: { lastSeq: 928, xid: 12 },
  })
})
