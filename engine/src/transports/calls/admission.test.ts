import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { describe, expect, test } from "vitest"
import { EngineError } from "../../support/errors.ts"
import { Admission } from "./admission.ts"

const request = (headers: IncomingHttpHeaders, method = "POST", localAddress = "127.0.0.1") =>
  ({ method, headers, socket: { localAddress } }) as IncomingMessage

function codeOf(run: () => void): string {
  try {
    run()
    return "admitted"
  } catch (error) {
    if (error instanceof EngineError) return error.code
    throw error
  }
}

const admission = new Admission(["Engine.Example.org"], ["https://app.example.com"])
admission.addHost("192.0.2.7")

const hostOf = (host: string | undefined, localAddress?: string) =>
  codeOf(() => admission.checkHost(host, localAddress))

const writeOf = (headers: IncomingHttpHeaders, method = "POST") =>
  codeOf(() => admission.checkWrite(request({ host: "localhost:8080", ...headers }, method)))

describe("SEC-03: the host names that are served", () => {
  test.each([
    "localhost",
    "localhost:8080",
    "LOCALHOST:1",
    "127.0.0.1:8080",
    "[::1]:8080",
    "engine.example.org",
    "ENGINE.example.org:443",
    "192.0.2.7:8080",
  ])("%s is admitted", (host) => {
    expect(hostOf(host)).toBe("admitted")
  })

  test.each([
    "evil.test",
    "evil.test:8080",
    "localhost.evil.test",
    "engine.example.org.evil.test",
    "evil.test#localhost",
    "evil.test@localhost",
    "localhost:8080@evil.test",
    "localhost/evil",
    "localhost.",
    "localhost:",
    "localhost:8080:80",
    "192.0.2.8",
    "[::2]",
    "::1",
    "",
    " ",
    undefined,
  ])("%s is refused", (host) => {
    expect(hostOf(host)).toBe("misdirected-request")
  })

  test("the address a connection came in on is admitted, as a probe would use it", () => {
    expect(hostOf("10.0.0.5:8080", "10.0.0.5")).toBe("admitted")
    expect(hostOf("10.0.0.5:8080", "::ffff:10.0.0.5")).toBe("admitted")
    expect(hostOf("10.0.0.6:8080", "10.0.0.5")).toBe("misdirected-request")
  })
})

describe("SEC-03: where a change may come from", () => {
  test.each<[string, IncomingHttpHeaders]>([
    ["no browser", {}],
    ["our own page", { origin: "http://localhost:8080", "sec-fetch-site": "same-origin" }],
    ["our own page behind TLS", { origin: "https://localhost:8080" }],
    ["the address bar", { "sec-fetch-site": "none" }],
    ["an origin that was configured", { origin: "https://app.example.com", "sec-fetch-site": "cross-site" }],
  ])("%s is admitted", (_, headers) => {
    expect(writeOf(headers)).toBe("admitted")
  })

  test.each<[string, IncomingHttpHeaders]>([
    ["another site", { origin: "https://evil.test" }],
    ["another site that hides its origin", { "sec-fetch-site": "cross-site" }],
    ["a sandboxed page", { origin: "null" }],
    ["another port of this machine", { origin: "http://localhost:3000", "sec-fetch-site": "same-site" }],
    ["another port that hides its origin", { "sec-fetch-site": "same-site" }],
    ["another port without fetch metadata", { origin: "http://localhost:3000" }],
    ["a configured name with another scheme", { origin: "http://app.example.com" }],
    ["a longer name", { origin: "https://app.example.com.evil.test" }],
    ["a file", { origin: "file://" }],
    [
      "an origin that claims to be ours across sites",
      { origin: "http://localhost:8080", "sec-fetch-site": "cross-site" },
    ],
  ])("%s is refused", (_, headers) => {
    expect(writeOf(headers)).toBe("forbidden")
  })

  test("reading is not asked: without CORS headers a page cannot see the answer", () => {
    expect(writeOf({ origin: "https://evil.test" }, "GET")).toBe("admitted")
  })
})

describe("SEC-03: what a body may be", () => {
  const sent = { "content-length": "2" }

  test.each<[string, IncomingHttpHeaders]>([
    ["JSON", { ...sent, "content-type": "application/json" }],
    ["JSON in UTF-8", { ...sent, "content-type": "application/json; charset=UTF-8" }],
    ["JSON in capitals", { ...sent, "content-type": "Application/JSON" }],
    ["no body", {}],
    ["an empty body", { "content-length": "0" }],
    ["an empty body with a type", { "content-length": "0", "content-type": "application/json" }],
    ["JSON as it is", { ...sent, "content-type": "application/json", "content-encoding": "identity" }],
  ])("%s is admitted", (_, headers) => {
    expect(writeOf(headers)).toBe("admitted")
  })

  test.each<[string, IncomingHttpHeaders]>([
    ["a body without a type", sent],
    ["a chunked body without a type", { "transfer-encoding": "chunked" }],
    ["text/plain", { ...sent, "content-type": "text/plain" }],
    ["a form", { ...sent, "content-type": "application/x-www-form-urlencoded" }],
    ["an upload", { ...sent, "content-type": "multipart/form-data; boundary=x" }],
    ["XML", { ...sent, "content-type": "application/xml" }],
    ["XML text", { ...sent, "content-type": "text/xml" }],
    ["something that begins like JSON", { ...sent, "content-type": "application/jsonp" }],
    ["JSON hidden behind text", { ...sent, "content-type": "text/plain; application/json" }],
    ["JSON in UTF-16", { ...sent, "content-type": "application/json; charset=utf-16" }],
    ["compressed JSON", { ...sent, "content-type": "application/json", "content-encoding": "gzip" }],
  ])("%s is refused", (_, headers) => {
    expect(writeOf(headers)).toBe("unsupported-format")
  })
})
