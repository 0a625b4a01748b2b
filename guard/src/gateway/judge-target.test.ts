import { describe, expect, test } from "vitest"
import { judgeTarget } from "./judge-target.ts"

describe("SEC-47: a path is forwarded as it came, or not at all", () => {
  test.each([
    ["/", "/", ""],
    ["/gateway/orders/7/", "/gateway/orders/7/", ""],
    ["/gateway/a.b/~c/%E2%82%AC?x=1&y=%2F..%2F", "/gateway/a.b/~c/%E2%82%AC", "?x=1&y=%2F..%2F"],
    ["/gateway/.well-known/x;v=1", "/gateway/.well-known/x;v=1", ""],
    ["/gateway/...", "/gateway/...", ""],
    ["/gateway/a%20b%3Bc%25", "/gateway/a%20b%3Bc%25", ""],
  ])("%s", (url, path, query) => {
    expect(judgeTarget(url)).toEqual({ path, query })
  })

  test.each([
    "http://inner.test/gateway/x",
    "*",
    "",
    "gateway/x",
    "//inner.test/x",
    "/gateway//x",
    "/gateway/x//",
    "/gateway/../admin",
    "/gateway/..",
    "/gateway/./x",
    "/gateway/..;/admin",
    "/gateway/..;x=1/admin",
    "/gateway/.;/admin",
    "/gateway/;x/admin",
    "/gateway/%2e%2e/admin",
    "/gateway/%2E./admin",
    "/gateway/x%2Fadmin",
    "/gateway/x%5cadmin",
    "/gateway/%252e%252e/admin",
    "/gateway/x\\..\\admin",
    "/gateway/x#fragment",
    "/gateway/x%00.json",
    "/gateway/x%0d%0aHost:%20inner",
    "/gateway/x%7f",
    "/gateway/x%",
    "/gateway/x%zz",
    "/gateway/x\u00e9",
    "/gateway/x y",
    "/gateway/x?a=\u00e9",
    "/gateway/x?a=b c",
  ])("refused: %s", (url) => {
    expect(() => judgeTarget(url)).toThrow(expect.objectContaining({ code: "bad-request" }))
  })
})
