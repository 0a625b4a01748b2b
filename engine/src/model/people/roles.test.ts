// What a role may do.
import { expect, test } from "vitest"
import { isRole, ROLES, scopesOfRole } from "./roles.ts"
import { isScope } from "./scopes.ts"

test("E-39: a USER has the scope gateway and none of the engine, an ADMIN is the scope admin", () => {
  expect(scopesOfRole("USER")).toEqual(["gateway"])
  expect(scopesOfRole("ADMIN")).toEqual(["admin"])
  expect(ROLES.flatMap(scopesOfRole).every(isScope)).toBe(true)
})

test.each(["admin", "Admin", "", "ROOT", null, undefined, 1, ["ADMIN"], "USER "])("E-31: %j is no role", (role) => {
  expect(isRole(role)).toBe(false)
})
