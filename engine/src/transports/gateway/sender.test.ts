// What an upstream is told of a caller: what a proxy of ours has said, and nothing that a caller has said of itself.
import { UPSTREAM_DEFAULTS, type Upstream } from "@millrace/guard/gateway"
import type { FastifyRequest } from "fastify"
import { describe, expect, test } from "vitest"
import { LOCAL } from "../calls/route.ts"
import { senderOf } from "./sender.ts"

const PROXY = "10.0.0.1"
const STRANGER = "203.0.113.7"
const KEY = { id: "k1", name: "shop", scopes: ["gateway"], subject: "key:k1" }

interface Given {
  readonly from?: string
  readonly headers?: Record<string, string>
  readonly principal?: object | null
  readonly address?: string
  readonly parts?: object
  readonly upstream?: Partial<Upstream>
}

function told({ from = STRANGER, headers = {}, principal = null, address, parts, upstream }: Given = {}) {
  const visitor = address === undefined ? null : { headers, address }
  const request = { id: "r1", headers, principal, trace: null, visitor, socket: { remoteAddress: from } }
  const options = { auth: "required", tls: undefined }
  const all = { isProxy: (peer?: string) => peer === PROXY, isBehindTls: false, tokenIssuer: "us", options, ...parts }
  const to = { ...UPSTREAM_DEFAULTS, path: "/", to: "http://127.0.0.1:1", ...upstream }
  return senderOf(all as Parameters<typeof senderOf>[0], request as unknown as FastifyRequest, to)
}

describe("SEC-04: how the caller has reached us", () => {
  const headers = { host: "us.test", "x-forwarded-proto": "https, http", "x-forwarded-host": "shop.test, inner" }

  test("is what a proxy of ours says", () => {
    expect(told({ from: PROXY, headers })).toMatchObject({ proto: "https", host: "shop.test" })
  })

  test("is not what a caller says itself", () => {
    expect(told({ headers })).toMatchObject({ proto: "http", host: "us.test" })
  })

  test("is our own connection where the proxy says nothing that is one", () => {
    const odd = { host: "us.test", "x-forwarded-proto": "gopher", "x-forwarded-host": "a b" }
    expect(told({ from: PROXY, headers: odd })).toMatchObject({ proto: "http", host: "us.test" })
    expect(told({ headers: { host: "us.test/evil" } }).host).toBeUndefined()
  })

  test.each([[{ isBehindTls: true }], [{ options: { auth: "required", tls: {} } }]])("is TLS with %j", (parts) => {
    expect(told({ parts }).proto).toBe("https")
  })
})

describe("SEC-04: where the call comes from", () => {
  test("is the address that the door has found, else that of the connection", () => {
    expect(told({ from: PROXY, address: STRANGER }).address).toBe(STRANGER)
    expect(told({ from: PROXY }).address).toBe(PROXY)
  })

  test("an IPv4 address that is written as IPv6 is told as IPv4", () => {
    expect(told({ from: `::ffff:${STRANGER}` }).address).toBe(STRANGER)
    expect(told({ from: "::1" }).address).toBe("::1")
  })
})

describe("E-19: who calls", () => {
  test.each([
    ["no one", null, undefined, undefined],
    ["a caller on this machine without a credential", LOCAL, undefined, undefined],
    ["a key", KEY, "key:k1", "USER"],
    ["an administrator", { ...KEY, scopes: ["gateway", "admin"] }, "key:k1", "ADMIN"],
  ])("%s", (_, principal, client, role) => {
    const sender = told({ principal })
    expect([sender.client, sender.role]).toEqual([client, role])
  })
})

describe("SEC-46: an Authorization header is ours", () => {
  const headers = { authorization: "Bearer of-another-server" }

  test.each([
    ["on a path that asks for a credential", {}, { auth: "required" }, true],
    ["not on a public path", { public: true }, { auth: "required" }, false],
    ["not where no credential is asked for", {}, { auth: "off" }, false],
  ])("%s", (_, upstream, options, expected) => {
    expect(told({ headers, upstream, parts: { options } }).ownsAuthorization).toBe(expected)
  })
})
