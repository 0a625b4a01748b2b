// Which scopes there are, which of them a network may stand for, and what limited ones allow.
import { expect, test } from "vitest"
import { isTrustedScope, isWithin, limitsOf, reachesEngine, SCOPES, TRUSTED_SCOPES } from "./scopes.ts"

test("W-05: a trusted network may have every scope of a key but admin", () => {
  expect(SCOPES.filter((scope) => !isTrustedScope(scope))).toEqual(["admin"])
  expect(TRUSTED_SCOPES.every(isTrustedScope)).toBe(true)
  for (const scope of ["jobs:work:mail", "events:write:payment.initiated", "events:write:payment.*"])
    expect(isTrustedScope(scope)).toBe(true)
})

test.each([
  "",
  "Admin",
  "jobs",
  "jobs:work:",
  "jobs:work:a b",
  "jobs:work:mail*",
  "events:write:",
  "events:write:*",
  "events:write:a*b",
  "events:read:a",
  "*",
])("SEC, W-05: %s is none", (scope) => {
  expect(isTrustedScope(scope)).toBe(false)
})

test("E-39: every scope but `gateway` opens something of the engine", () => {
  expect(SCOPES.filter((scope) => !reachesEngine([scope]))).toEqual(["gateway"])
  expect([reachesEngine([]), reachesEngine(["gateway", "jobs:work:mail"])]).toEqual([false, true])
})

test("SEC-27: a limited scope allows what it names, or what begins like it where it ends in a star", () => {
  expect(limitsOf(["admin"], "events:write")).toBeUndefined()
  expect(limitsOf(["events:write", "events:write:a"], "events:write")).toBeUndefined()
  expect(limitsOf(["jobs:work:mail", "events:read"], "events:write")).toEqual([])
  const limits = limitsOf(["events:write:refund", "events:write:payment.*"], "events:write") ?? []
  expect(["refund", "payment.made", "payment."].every((type) => isWithin(type, limits))).toBe(true)
  expect(["refunds", "payment", "payments.made", ""].some((type) => isWithin(type, limits))).toBe(false)
})
