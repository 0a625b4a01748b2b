import { expect, test } from "vitest"
import { isLimitOfClass, readClassLimits, readLimit, writeLimit } from "./class-limits.ts"

test.each([
  ["600/60s", { requests: 600, windowMs: 60_000 }],
  ["1/1s", { requests: 1, windowMs: 1_000 }],
  ["1000000/24h", { requests: 1_000_000, windowMs: 86_400_000 }],
  ["5000/PT1M", { requests: 5_000, windowMs: 60_000 }],
])("E-38: %s is a limit", (text, limit) => {
  expect(readLimit(text)).toEqual(limit)
})

test.each([
  "",
  "600",
  "600/",
  "/60s",
  "0/60s",
  "1000001/60s",
  "600/500ms",
  "600/1500ms",
  "600/25h",
  "600/0s",
  "6.5/60s",
  "600/60s/1",
])("E-38: %j is none", (text) => {
  expect(readLimit(text)).toBeUndefined()
})

test("E-38: a limit is written as it is read", () => {
  expect(writeLimit({ requests: 600, windowMs: 60_000 })).toBe("600/1m")
  expect(readLimit("600/1m")).toEqual({ requests: 600, windowMs: 60_000 })
})

test.each([
  ["admin=300/60s", true],
  ["client=5000/1m", true],
  ["health=1/1s", false],
  ["nothing=1/1s", false],
  ["admin=", false],
  ["admin", false],
  ["admin=300/60s=1", false],
])("E-38: %s gives a class a limit: %s", (text, isOne) => {
  expect(isLimitOfClass(text)).toBe(isOne)
})

test("E-38: of several limits of one class the last counts", () => {
  expect(readClassLimits(["admin=1/1s", "client=2/1s", "admin=3/1s", "health=4/1s"])).toEqual({
    admin: { requests: 3, windowMs: 1_000 },
    client: { requests: 2, windowMs: 1_000 },
  })
})
