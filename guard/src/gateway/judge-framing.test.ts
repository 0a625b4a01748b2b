// What Node's own parser lets through is judged once more: another parser may be in front.
import { describe, expect, test } from "vitest"
import { judgeFraming } from "./judge-framing.ts"

const head = (headers: Record<string, string>, more: object = {}) => ({
  method: "POST",
  rawHeaders: Object.entries(headers).flat(),
  headers,
  httpVersion: "1.1",
  ...more,
})

describe("SEC-47: a request has one length, or is not forwarded", () => {
  test.each([
    ["both lengths", head({ "content-length": "3", "transfer-encoding": "chunked" })],
    ["another coding", head({ "transfer-encoding": "gzip, chunked" })],
    ["chunks in HTTP/1.0", head({ "transfer-encoding": "chunked" }, { httpVersion: "1.0" })],
    ["a length that is no number", head({ "content-length": "+3" })],
    ["a length twice", head({ "content-length": "3" }, { rawHeaders: ["Content-Length", "3", "content-length", "3"] })],
    ["a credential twice", head({}, { rawHeaders: ["Authorization", "Basic dTpw", "authorization", "Bearer x"] })],
    ["a host twice", head({ host: "a" }, { rawHeaders: ["Host", "a", "host", "b"] })],
    ["an upgrade to HTTP/2", head({ upgrade: "h2c" })],
  ])("%s", (_, request) => {
    expect(() => judgeFraming(request)).toThrow(expect.objectContaining({ code: "bad-request" }))
  })

  test.each([
    [head({ "content-length": "3" }), true],
    [head({ "transfer-encoding": "chunked" }), true],
    [head({ "content-length": "0" }), false],
    [head({}), false],
  ])("%j", (request, hasBody) => {
    expect(judgeFraming(request)).toEqual({ hasBody, isUpgrade: false })
  })
})
