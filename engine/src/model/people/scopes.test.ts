// Which scopes a network may stand for.
import { expect, test } from "vitest"
import { isTrustedScope, SCOPES, TRUSTED_SCOPES } from "./scopes.ts"

test("W-05: a trusted network may have every scope of a key but admin", () => {
  expect(SCOPES.filter((scope) => !isTrustedScope(scope))).toEqual(["admin"])
  expect(TRUSTED_SCOPES.every(isTrustedScope)).toBe(true)
  expect(isTrustedScope("jobs:work:mail")).toBe(true)
})

test.each(["", "Admin", "jobs", "jobs:work:", "jobs:work:a b", "*"])("SEC, W-05: %s is none", (scope) => {
  expect(isTrustedScope(scope)).toBe(false)
})
