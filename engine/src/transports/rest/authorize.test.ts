import { describe, expect, test } from "vitest"
import type { Principal } from "../../operations/api-keys.ts"
import { authenticate, authorize, authorizeJobTypes, authorizeReport } from "./authorize.ts"
import { LOCAL, type Permission } from "./route.ts"

const withScopes = (...scopes: string[]): Principal => ({ id: "k1", name: "key one", scopes })
const worker = withScopes("jobs:work:mail", "jobs:work:print")
const findKey = async (key: string) => (key === "mill_good" ? worker : undefined)

const modes = { auth: "auto", bindIsLoopback: true, findKey } as const

describe("who is calling", () => {
  test("SEC-02: on loopback nobody needs a key, unless the operator demands one", async () => {
    expect(authenticate(modes, undefined)).toBe(LOCAL)
    expect(() => authenticate({ ...modes, auth: "required" }, undefined)).toThrow("an API key is required")
    expect(() => authenticate({ ...modes, bindIsLoopback: false }, undefined)).toThrow("an API key is required")
    expect(authenticate({ ...modes, auth: "off" }, "Bearer whatever")).toBe(LOCAL)
  })

  test("a key that is sent counts, also where none is needed", async () => {
    expect(await authenticate(modes, "Bearer mill_good")).toBe(worker)
    expect(await authenticate(modes, "bearer  mill_good")).toBe(worker)
  })

  test.each(["Bearer mill_bad", "Bearer", "Bearer ", "Basic bWlsbA==", "mill_good", "Bearer mill_good mill_good", ""])(
    "SEC-02: %j is not a key, not even on loopback",
    async (header) => {
      await expect(authenticate(modes, header)).rejects.toThrow("not known")
    },
  )

  test("SEC-13: a header that is too long is refused before anybody looks at it", async () => {
    let asked = 0
    const counting = {
      ...modes,
      findKey: async () => {
        asked++
        return worker
      },
    }
    await expect(authenticate(counting, `Bearer ${"a".repeat(16_384)}`)).rejects.toThrow("not known")
    expect(asked).toBe(0)
  })
})

describe("SEC-27: what a key may do", () => {
  const all: Permission[] = [
    "definitions:read",
    "definitions:write",
    "instances:read",
    "instances:write",
    "jobs:work",
    "jobs:read",
    "jobs:write",
    "queues:write",
    "tasks:read",
    "tasks:write",
    "metrics:read",
    "admin",
  ]

  test.each(all)("a key with the scope %s may do that and nothing else", (scope) => {
    for (const permission of all) {
      const allowed = scope === permission || scope === "admin"
      const check = () => authorize(withScopes(scope), permission)
      if (allowed) expect(check).not.toThrow()
      else expect(check).toThrow(`no scope ${permission}`)
    }
  })

  test("a key without scopes may do nothing", () => {
    for (const permission of all) expect(() => authorize(withScopes(), permission)).toThrow("no scope")
  })

  test("SEC-31: a worker's key is limited to its job types", () => {
    expect(() => authorize(worker, "jobs:work")).not.toThrow()
    expect(() => authorize(worker, "instances:read")).toThrow("no scope")
    expect(() => authorizeJobTypes(worker, ["mail", "print"])).not.toThrow()
    expect(() => authorizeJobTypes(worker, ["mail", "pay"])).toThrow("may not work on pay")
    expect(() => authorizeJobTypes(withScopes("jobs:work:mail", "tasks:read"), ["tasks:read"])).toThrow("may not work")
    expect(() => authorizeJobTypes(withScopes("jobs:work", "jobs:work:mail"), ["pay"])).not.toThrow()
    expect(() => authorizeJobTypes(LOCAL, ["pay"])).not.toThrow()
  })

  test("SEC-31: a limited key reports with the token it was given, not with a worker's name", () => {
    expect(() => authorizeReport(worker, true)).not.toThrow()
    expect(() => authorizeReport(worker, false)).toThrow("must send the lease token")
    expect(() => authorizeReport(withScopes("jobs:work"), false)).not.toThrow()
  })
})
