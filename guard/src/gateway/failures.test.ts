import { once } from "node:events"
import { request as httpRequest, type IncomingMessage } from "node:http"
import { createServer, type Socket } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import { type BareGateway, startGateway, upstreamTo } from "./test-support/bare-gateway.ts"
import { rawConnection, rawRequest, statusOf } from "./test-support/raw.ts"
import { startUpstream } from "./test-support/upstream-server.ts"
import type { Upstream } from "./upstream.ts"

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function gatewayTo(to: string, more: Partial<Upstream> = {}): Promise<BareGateway> {
  const gateway = await startGateway({ upstreams: [upstreamTo(to, more)] })
  open.push(gateway)
  return gateway
}

/** A server that speaks raw bytes; `answer` is called with the n-th request on any of its connections. */
async function rawUpstream(answer: (socket: Socket, n: number) => void): Promise<{ url: string; requests(): number }> {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {}).on("close", () => sockets.delete(socket))
    socket.on("data", () => answer(socket, ++requests))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, requests: () => requests }
}

const GET = "GET /gateway/x HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\r\n"
const POST = "POST /gateway/x HTTP/1.1\r\nHost: g\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

describe("E-19: an upstream that fails", () => {
  test("refused: 502", async () => {
    const gone = await startUpstream()
    await gone.close()
    const gateway = await gatewayTo(gone.url)
    expect(statusOf(await rawRequest(gateway.url, GET))).toBe(502)
    expect(statusOf(await rawRequest(gateway.url, POST))).toBe(502)
  })

  test("too slow: 504, and it is not asked a second time", async () => {
    const slow = await rawUpstream(() => {})
    const gateway = await gatewayTo(slow.url, {
      timeouts: { connectMs: 60_000, headersMs: 20, idleMs: 60_000 },
      retries: 3,
    })
    expect(statusOf(await rawRequest(gateway.url, GET))).toBe(504)
    await expect.poll(() => slow.requests()).toBe(1)
  })

  test.each(["not HTTP at all\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"])(
    "an answer that is no good: 502 (%j)",
    async (answer) => {
      const odd = await rawUpstream((socket) => socket.end(answer))
      const gateway = await gatewayTo(odd.url, { retries: 0 })
      expect(statusOf(await rawRequest(gateway.url, GET))).toBe(502)
    },
  )

  test.each([
    ["of a known length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", "1.1"],
    ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "1.1"],
    [
      "in chunks, to a caller that takes the end of the connection for the end of the body",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
      "1.0",
    ],
  ])("broken off half-way %s: the caller's connection is reset, and nothing looks whole", async (_, half, version) => {
    const sockets: Socket[] = []
    const upstream = await rawUpstream((socket) => {
      sockets.push(socket)
      socket.write(half)
    })
    const gateway = await gatewayTo(upstream.url)
    const caller = await rawConnection(gateway.url)
    caller.socket.write(GET.replace("1.1", version))
    await expect.poll(() => caller.text()).toContain("half")
    sockets[0]?.destroy()
    const { text, wasReset } = await caller.closed()
    expect(wasReset).toBe(true)
    expect(text).not.toContain("0\r\n\r\n")
  })

  test("an answer before the body was read: the caller gets it, and its connection goes on", async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(413, { connection: "close" }).end("too large")
    })
    open.push(upstream)
    const gateway = await gatewayTo(upstream.url)
    const caller = await rawConnection(gateway.url)
    caller.socket.write("POST /gateway/x HTTP/1.1\r\nHost: g\r\nContent-Length: 4\r\n\r\nab")
    await expect.poll(() => caller.text()).toContain("413")
    caller.socket.write(`cd${GET}`)
    const { text } = await caller.closed()
    expect(text.match(/HTTP\/1\.1 413/g)).toHaveLength(2)
  })
})

describe("E-19: another try", () => {
  test.each(["GET", "HEAD", "OPTIONS"])("%s is sent again where nothing came back", async (method) => {
    const upstream = await rawUpstream((socket, n) => (n === 1 ? socket.destroy() : socket.write(OK)))
    const gateway = await gatewayTo(upstream.url)
    expect(statusOf(await rawRequest(gateway.url, GET.replace("GET", method)))).toBe(200)
    expect(upstream.requests()).toBe(2)
  })

  test.each([
    ["POST", POST],
    ["a POST without a body", POST.replace("Content-Length: 2\r\n\r\nhi", "\r\n")],
    ["DELETE", GET.replace("GET", "DELETE")],
    ["PUT", POST.replace("POST", "PUT")],
    ["a GET with a body", POST.replace("POST", "GET")],
  ])("%s is never sent again", async (_, request) => {
    const upstream = await rawUpstream((socket) => socket.destroy())
    const gateway = await gatewayTo(upstream.url, { retries: 5 })
    expect(statusOf(await rawRequest(gateway.url, request))).toBe(502)
    expect(upstream.requests()).toBe(1)
  })

  test("not once a head has come", async () => {
    const upstream = await rawUpstream((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"))
    const gateway = await gatewayTo(upstream.url, { retries: 5 })
    const caller = await rawConnection(gateway.url)
    caller.socket.write(GET)
    await caller.closed()
    expect(upstream.requests()).toBe(1)
  })

  test("no more often than configured", async () => {
    const upstream = await rawUpstream((socket) => socket.destroy())
    const gateway = await gatewayTo(upstream.url, { retries: 2 })
    expect(statusOf(await rawRequest(gateway.url, GET))).toBe(502)
    expect(upstream.requests()).toBe(3)
  })
})

describe("E-19: a caller that goes away", () => {
  test("while it waits: the upstream's request is aborted", async () => {
    let gone = false
    const upstream = await startUpstream((request) => request.socket.once("close", () => (gone = true)))
    open.push(upstream)
    const gateway = await gatewayTo(upstream.url)
    const caller = httpRequest(`${gateway.url}/gateway/x`)
    caller.on("error", () => {}).end()
    await expect.poll(() => upstream.asked.length).toBe(1)
    caller.destroy()
    await expect.poll(() => gone).toBe(true)
  })

  test("in the middle of its body, and in the middle of the answer", async () => {
    const ended: string[] = []
    const upstream = await startUpstream((request, response) => {
      if (request.method === "GET") response.write("half")
      request.resume().once("aborted", () => ended.push("body"))
      response.once("close", () => ended.push("answer"))
    })
    open.push(upstream)
    const gateway = await gatewayTo(upstream.url)
    const sending = httpRequest(`${gateway.url}/gateway/x`, { method: "POST" })
    sending.on("error", () => {}).write("half")
    await expect.poll(() => upstream.asked.length).toBe(1)
    sending.destroy()
    await expect.poll(() => ended).toContain("body")
    const reading = httpRequest(`${gateway.url}/gateway/x`)
    reading.on("error", () => {}).end()
    const [answer] = (await once(reading, "response")) as [IncomingMessage]
    answer.on("error", () => {}).destroy()
    await expect.poll(() => ended.filter((one) => one === "answer")).toHaveLength(2)
  })
})
