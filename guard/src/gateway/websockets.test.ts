import { createHash } from "node:crypto"
import { EventEmitter } from "node:events"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { afterEach, describe, expect, test } from "vitest"
import type { Exchange } from "./exchange.ts"
import { OpenStreams } from "./open-streams.ts"
import { startGateway, upstreamTo } from "./test-support/bare-gateway.ts"
import { type RawConnection, rawConnection, statusOf } from "./test-support/raw.ts"
import { startUpstream } from "./test-support/upstream-server.ts"
import type { Upstream } from "./upstream.ts"
import { Websockets } from "./websockets.ts"

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const KEY = "dGhlIHNhbXBsZSBub25jZQ=="
const accept = createHash("sha1").update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
const UPGRADE = `GET /gateway/chat HTTP/1.1\r\nHost: g\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n`

/** Says what it hears, in capitals. */
async function echoing(more: Partial<Upstream> = {}, parts: Partial<Parameters<typeof startGateway>[0]> = {}) {
  const sockets: Socket[] = []
  const upstream = await startUpstream()
  upstream.server.on("upgrade", (request, socket: Socket) => {
    sockets.push(socket)
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\nX-Path: ${request.url}\r\n\r\n`,
    )
    socket.on("data", (text) => socket.write(String(text).toUpperCase()))
    socket.on("error", () => {}).on("end", () => socket.end())
  })
  open.push(upstream)
  const gateway = await startGateway({ upstreams: [upstreamTo(upstream.url, more)], ...parts })
  open.push(gateway)
  return { gateway, sockets }
}

async function upgraded(caller: RawConnection, more = ""): Promise<void> {
  caller.socket.write(UPGRADE + more)
  await expect.poll(() => caller.text()).toContain("\r\n\r\n")
}

describe("E-19: a WebSocket passes through", () => {
  test("both ways, with what the caller sent along", async () => {
    const { gateway } = await echoing()
    const caller = await rawConnection(gateway.url)
    await upgraded(caller, "early")
    expect(statusOf(caller.text())).toBe(101)
    expect(caller.text()).toContain(accept)
    expect(caller.text().toLowerCase()).toContain("x-path: /chat")
    await expect.poll(() => caller.text()).toContain("EARLY")
    caller.socket.write("and late")
    await expect.poll(() => caller.text()).toContain("AND LATE")
    expect(gateway.gateway.openStreams).toBe(1)
    caller.socket.destroy()
  })

  test("when one side goes, the other is closed", async () => {
    const { gateway, sockets } = await echoing()
    const [left, right] = [await rawConnection(gateway.url), await rawConnection(gateway.url)]
    await upgraded(left)
    left.socket.destroy()
    await expect.poll(() => sockets[0]?.closed).toBe(true)
    await upgraded(right)
    sockets[1]?.destroy()
    await right.closed()
    await expect.poll(() => gateway.gateway.openStreams).toBe(0)
  })

  test("what one side has sent before it ended reaches the other, however slowly that one reads", async () => {
    const taken: string[] = []
    const go: (() => void)[] = []
    const caller = new Duplex({
      read() {},
      write(chunk, _, done) {
        taken.push(String(chunk))
        go.push(done)
      },
    })
    const upstream = new Duplex({ read() {}, write: (_, __, done) => done() })
    const response = Object.assign(new EventEmitter(), { detachSocket() {} })
    const exchange = { response, upgrading: { socket: caller, head: Buffer.alloc(0) } } as unknown as Exchange
    new Websockets(new OpenStreams()).join(exchange, { headers: [], socket: upstream })
    for (const piece of ["last", "words", null]) upstream.push(piece)
    await expect.poll(() => upstream.readableEnded).toBe(true)
    while (!caller.closed) {
      go.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(taken.slice(1).join(" ")).toBe("last words")
  })

  test("a side that ends closes the other, though that one goes on sending", async () => {
    const { gateway, sockets } = await echoing()
    const caller = await rawConnection(gateway.url)
    await upgraded(caller)
    const upstream = sockets[0] as Socket
    upstream.removeAllListeners("end")
    upstream.allowHalfOpen = true
    caller.socket.end()
    await expect.poll(() => upstream.readableEnded).toBe(true)
    upstream.on("error", () => {}).write("after the end")
    await caller.closed()
    await expect.poll(() => gateway.gateway.openStreams).toBe(0)
    upstream.destroy()
  })

  test("a server that stops ends them", async () => {
    const { gateway } = await echoing()
    const caller = await rawConnection(gateway.url)
    await upgraded(caller)
    gateway.gateway.endStreams()
    await caller.closed()
    await expect.poll(() => gateway.gateway.openStreams).toBe(0)
  })

  test("an upstream that declines answers as it would any request", async () => {
    const upstream = await startUpstream((_, response) => response.writeHead(403).end("no"))
    open.push(upstream)
    const gateway = await startGateway({ upstreams: [upstreamTo(upstream.url)] })
    open.push(gateway)
    const caller = await rawConnection(gateway.url)
    caller.socket.write(UPGRADE)
    await expect.poll(() => caller.text()).toContain("no")
    expect(statusOf(caller.text())).toBe(403)
    caller.socket.destroy()
  })

  test("an upstream that is gone: 502", async () => {
    const upstream = await startUpstream()
    await upstream.close()
    const gateway = await startGateway({ upstreams: [upstreamTo(upstream.url)] })
    open.push(gateway)
    const caller = await rawConnection(gateway.url)
    caller.socket.write(UPGRADE)
    expect(statusOf((await caller.closed()).text)).toBe(502)
  })
})

describe("E-19: only so many WebSockets are open at once", () => {
  const sender = ({ headers }: IncomingMessage) => ({
    client: headers["x-name"] as string | undefined,
    address: (headers["x-address"] as string | undefined) ?? "203.0.113.7",
  })
  const by = (line: string) => UPGRADE.replace("Host: g", `Host: g\r\n${line}`)
  const bounded = (perCaller: number, total: number) => echoing({ websockets: { perCaller, total } }, { sender })

  async function ask(url: string, line: string) {
    const caller = await rawConnection(url)
    caller.socket.write(by(line))
    await expect.poll(() => caller.text()).toContain("\r\n\r\n")
    return { status: statusOf(caller.text()), socket: caller.socket }
  }

  test("one more of a caller gets 429 and reaches no upstream, another caller gets its own, and a place comes back", async () => {
    const { gateway, sockets } = await bounded(2, 10)
    const status = async (name: string) => (await ask(gateway.url, `X-Name: ${name}`)).status
    const first = await ask(gateway.url, "X-Name: user:1")
    expect([first.status, await status("user:1"), await status("user:1")]).toEqual([101, 101, 429])
    expect([sockets.length, gateway.gateway.websockets]).toEqual([2, 2])
    expect([await status("user:2"), await status("user:1")]).toEqual([101, 429])
    first.socket.destroy()
    await expect.poll(() => gateway.gateway.websockets).toBe(2)
    expect([await status("user:1"), await status("user:1")]).toEqual([101, 429])
  })

  test("where as many are open as there may be, any caller gets 503 until one has closed", async () => {
    const { gateway, sockets } = await bounded(10, 2)
    const status = async (name: string) => (await ask(gateway.url, `X-Name: ${name}`)).status
    expect([await status("user:1"), await status("user:2"), await status("user:3")]).toEqual([101, 101, 503])
    expect(sockets).toHaveLength(2)
    sockets[0]?.destroy()
    await expect.poll(() => gateway.gateway.websockets).toBe(1)
    expect([await status("user:3"), await status("user:4")]).toEqual([101, 503])
  })

  test("SEC-04: callers without a credential are told apart by address, of IPv6 by the /64", async () => {
    const { gateway } = await bounded(1, 10)
    const status = async (address: string) => (await ask(gateway.url, `X-Address: ${address}`)).status
    expect([await status("2001:db8::1"), await status("2001:db8::2"), await status("2001:db8:0:1::1")]).toEqual([
      101, 429, 101,
    ])
    expect([await status("192.0.2.1"), await status("192.0.2.1"), await status("192.0.2.2")]).toEqual([101, 429, 101])
  })

  test("requests that are none need no place", async () => {
    const upstream = await startUpstream((_, response) => response.end("served"))
    open.push(upstream)
    const gateway = await startGateway({
      upstreams: [upstreamTo(upstream.url, { websockets: { perCaller: 0, total: 0 } })],
    })
    open.push(gateway)
    expect(await (await fetch(`${gateway.url}/gateway/x`)).text()).toBe("served")
    expect((await ask(gateway.url, "X-Own: 1")).status).toBe(429)
  })

  test("one that the upstream declines gives its place back", async () => {
    const upstream = await startUpstream((_, response) => response.writeHead(403).end("no"))
    open.push(upstream)
    const gateway = await startGateway({
      upstreams: [upstreamTo(upstream.url, { websockets: { perCaller: 1, total: 1 } })],
    })
    open.push(gateway)
    for (let n = 0; n < 3; n++) {
      expect((await ask(gateway.url, "X-Own: 1")).status).toBe(403)
      await expect.poll(() => gateway.gateway.websockets).toBe(0)
    }
  })

  test("a caller that went while it was judged takes no place, and reaches no upstream", async () => {
    let asked = 0
    let closed = 0
    const judged = (request: IncomingMessage) => {
      asked++
      return new Promise((resolve) => request.socket.once("close", resolve))
    }
    const { gateway, sockets } = await echoing({}, { judged, closed: () => closed++ })
    const caller = await rawConnection(gateway.url)
    caller.socket.write(UPGRADE)
    await expect.poll(() => asked).toBe(1)
    caller.socket.resetAndDestroy()
    await expect.poll(() => closed).toBe(1)
    expect([sockets.length, gateway.gateway.websockets, gateway.gateway.openStreams]).toEqual([0, 0, 0])
  })
})
