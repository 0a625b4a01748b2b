// Requests that two servers can read differently, byte by byte against a real upstream: none of them reaches it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type BareGateway, startGateway, upstreamTo } from "./test-support/bare-gateway.ts"
import { rawConnection, rawRequest, statusOf } from "./test-support/raw.ts"
import { startUpstream, type UpstreamServer } from "./test-support/upstream-server.ts"

let upstream: UpstreamServer
let gateway: BareGateway
beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startGateway({ upstreams: [upstreamTo(upstream.url)] })
})
afterAll(async () => {
  await gateway.close()
  await upstream.close()
})
beforeEach(() => void upstream.asked.splice(0))

const request = (line: string, ...headers: string[]): string =>
  [line, "Host: g", "Connection: close", ...headers, "", ""].join("\r\n")
const SMUGGLED = "GET /gateway/smuggled HTTP/1.1\r\nHost: g\r\n\r\n"
const post = (...headers: string[]): string => request("POST /gateway/x HTTP/1.1", ...headers)

describe("SEC-47: framing tricks reach no upstream", () => {
  test.each([
    ["a length and chunks", post("Content-Length: 4", "Transfer-Encoding: chunked"), `0\r\n\r\n${SMUGGLED}`],
    ["chunks and a length", post("Transfer-Encoding: chunked", "Content-Length: 6"), `0\r\n\r\n${SMUGGLED}`],
    ["two lengths", post("Content-Length: 5", "Content-Length: 0"), SMUGGLED],
    ["two equal lengths", post("Content-Length: 0", "Content-Length: 0"), SMUGGLED],
    ["a length in a list", post("Content-Length: 0, 5"), SMUGGLED],
    ["a signed length", post("Content-Length: +5"), SMUGGLED],
    ["a length in hexadecimal", post("Content-Length: 0x5"), SMUGGLED],
    ["a length with a blank before the colon", post("Content-Length : 5"), SMUGGLED],
    ["chunks with a blank before the colon", post("Transfer-Encoding : chunked"), `0\r\n\r\n${SMUGGLED}`],
    ["chunks twice", post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), `0\r\n\r\n${SMUGGLED}`],
    ["chunks and identity", post("Transfer-Encoding: identity, chunked"), `0\r\n\r\n${SMUGGLED}`],
    ["chunks that are not the last coding", post("Transfer-Encoding: chunked, identity"), `0\r\n\r\n${SMUGGLED}`],
    ["an unknown coding", post("Transfer-Encoding: xchunked"), `0\r\n\r\n${SMUGGLED}`],
    ["chunks with a control character", post("Transfer-Encoding: \x0bchunked"), `0\r\n\r\n${SMUGGLED}`],
    ["a folded header", post("X-A: b", " Transfer-Encoding: chunked"), `0\r\n\r\n${SMUGGLED}`],
    ["a folded coding", post("Transfer-Encoding:", "\tchunked"), `0\r\n\r\n${SMUGGLED}`],
    ["chunks in HTTP/1.0", post("Transfer-Encoding: chunked").replace("1.1", "1.0"), `0\r\n\r\n${SMUGGLED}`],
    ["two hosts", request("GET /gateway/x HTTP/1.1", "Host: inner"), ""],
    ["lines that end in LF alone", post("X-A: b").replaceAll("\r\n", "\n"), ""],
    ["a bare CR in a header", post("X-A: b\rTransfer-Encoding: chunked"), `0\r\n\r\n${SMUGGLED}`],
    ["a NUL in a header", post("X-A: b\0c"), ""],
    ["a chunk size that is none", post("Transfer-Encoding: chunked"), `1;\nx\r\n0x1\r\na\r\n0\r\n\r\n${SMUGGLED}`],
  ])("%s", async (_, head, rest) => {
    const answer = await rawRequest(gateway.url, head + rest)
    expect(statusOf(answer)).toBe(400)
    expect(upstream.asked.filter(({ url }) => url.includes("smuggled"))).toEqual([])
  })

  test("an extension of a chunk and a trailer stay here", async () => {
    const body = "4;x=y\r\nbody\r\n0\r\nX-Millrace-Role: ADMIN\r\n\r\n"
    const answer = await rawRequest(gateway.url, post("Transfer-Encoding: chunked") + body)
    expect(statusOf(answer)).toBe(200)
    expect(upstream.asked).toHaveLength(1)
    expect(upstream.asked[0]?.headers["x-millrace-role"]).toBe("USER")
  })
})

describe("SEC-47: targets and methods that are refused", () => {
  test.each([
    ["an absolute URL", "GET http://inner.test/gateway/x HTTP/1.1", 400],
    ["another origin's URL", `GET http://127.0.0.1:1/gateway/x HTTP/1.1`, 400],
    ["dots", "GET /gateway/../admin HTTP/1.1", 400],
    ["encoded dots", "GET /gateway/%2e%2e/admin HTTP/1.1", 400],
    ["dots with a parameter", "GET /gateway/..;/admin HTTP/1.1", 400],
    ["an encoded slash", "GET /gateway/x%2fadmin HTTP/1.1", 400],
    ["two slashes", "GET /gateway//inner.test/x HTTP/1.1", 400],
    ["a backslash", "GET /gateway/\\inner.test HTTP/1.1", 400],
    ["another spelling of the mount", "GET /%67ateway/x HTTP/1.1", 404],
    ["TRACE", "TRACE /gateway/x HTTP/1.1", 405],
    ["a method that is none", "GE\0T /gateway/x HTTP/1.1", 400],
    ["an unknown version", "GET /gateway/x HTTP/1.9", 400],
  ])("%s", async (_, line, status) => {
    expect(statusOf(await rawRequest(gateway.url, request(line)))).toBe(status)
    expect(upstream.asked).toEqual([])
  })

  test("CONNECT: the connection is closed without a word", async () => {
    const { text } = await connectTo("CONNECT inner.test:443 HTTP/1.1\r\nHost: inner.test:443\r\n\r\n")
    expect(text).toBe("")
    expect(upstream.asked).toEqual([])
  })

  test.each([
    ["h2c", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA", "Connection: Upgrade, HTTP2-Settings"],
    ["h2c beside websocket", "Upgrade: websocket, h2c", "Connection: Upgrade"],
    ["h2c in a second header", "Upgrade: websocket", "Upgrade: h2c", "Connection: Upgrade"],
    ["h2c without Connection", "Upgrade: h2c"],
    ["settings of HTTP/2 alone", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA"],
    ["TLS", "Upgrade: TLS/1.0", "Connection: Upgrade"],
  ])("an upgrade to %s", async (_, ...headers) => {
    const head = ["GET /gateway/x HTTP/1.1", "Host: g", ...headers, "", ""].join("\r\n")
    const { text } = await connectTo(head)
    expect(statusOf(text)).toBe(400)
    expect(upstream.asked).toEqual([])
  })

  test("an upgrade with a body", async () => {
    const head =
      "POST /gateway/x HTTP/1.1\r\nHost: g\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 3\r\n\r\nabc"
    const { text } = await connectTo(head)
    expect(statusOf(text)).toBe(400)
    expect(upstream.asked).toEqual([])
  })

  test("the preface of HTTP/2", async () => {
    const { text } = await connectTo("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    expect(statusOf(text)).toBe(400)
    expect(upstream.asked).toEqual([])
  })
})

describe("requests one after the other on a connection", () => {
  test("each is answered in its turn, and each is a request of its own", async () => {
    const line = (n: number) =>
      `GET /gateway/${n} HTTP/1.1\r\nHost: g\r\n${n === 19 ? "Connection: close\r\n" : ""}\r\n`
    const { text } = await connectTo(Array.from({ length: 20 }, (_, n) => line(n)).join(""))
    const urls = [...text.matchAll(/"url":"\/(\d+)"/g)].map(([, n]) => Number(n))
    expect(urls).toEqual(Array.from({ length: 20 }, (_, n) => n))
    expect(upstream.asked).toHaveLength(20)
  })

  test("a good one does not carry a bad one past", async () => {
    const good = "GET /gateway/good HTTP/1.1\r\nHost: g\r\n\r\n"
    const { text } = await connectTo(good + post("Content-Length: 1", "Transfer-Encoding: chunked") + SMUGGLED)
    expect(text).not.toContain("smuggled")
    expect(upstream.asked.map(({ url }) => url).filter((url) => url !== "/good")).toEqual([])
  })
})

async function connectTo(text: string) {
  const connection = await rawConnection(gateway.url)
  connection.socket.write(text)
  return connection.closed()
}
