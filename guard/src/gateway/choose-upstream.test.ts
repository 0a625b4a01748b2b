import { describe, expect, test } from "vitest"
import { UpstreamTable } from "./choose-upstream.ts"
import { upstreamTo } from "./test-support/bare-gateway.ts"
import { targetOf } from "./upstream-target.ts"

const upstream = (path: string, more = {}) =>
  upstreamTo(`http://${path.replaceAll("/", "") || "root"}.test`, { path, ...more })

describe("E-19: the longest prefix of whole segments wins", () => {
  const table = new UpstreamTable([upstream("/orders"), upstream("/"), upstream("/orders/archive"), upstream("/admin")])
  test.each([
    ["/", "/"],
    ["/orders", "/orders"],
    ["/orders/7", "/orders"],
    ["/orders/archive/7", "/orders/archive"],
    ["/orders/archives", "/orders"],
    ["/ordersx", "/"],
  ])("%s is of %s", (path, expected) => {
    expect(table.find(path)?.path).toBe(expected)
  })

  test.each(["/Admin/x", "/%61dmin/x", "/ADMIN", "/admin;x=1/y", "/adm%69n"])(
    "%s is of /admin, whose upstream may read it so",
    (path) => {
      expect(table.find(path)?.path).toBe("/admin")
    },
  )

  test("without a root there are paths of no upstream", () => {
    expect(new UpstreamTable([upstream("/orders")]).find("/admin")).toBeUndefined()
  })
})

describe("what the upstream is asked for", () => {
  test.each([
    [{ path: "/", to: "http://a.test" }, "/x/y", "/x/y"],
    [{ path: "/", to: "http://a.test/base/" }, "/x/", "/base/x/"],
    [{ path: "/orders", to: "http://a.test" }, "/orders/7", "/orders/7"],
    [{ path: "/orders", to: "http://a.test", strip: true }, "/orders/7", "/7"],
    [{ path: "/orders", to: "http://a.test/v2", strip: true }, "/orders", "/v2/"],
    [{ path: "/a/b", to: "http://a.test", strip: true }, "/%61/b/c/", "/c/"],
  ])("%j with %s asks for %s", (given, rest, expected) => {
    expect(targetOf(upstreamTo(given.to, given))(rest)).toBe(expected)
  })
})
