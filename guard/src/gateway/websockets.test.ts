import { createHash } from "node:crypto"
import type { Socket } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import { startGateway, upstreamTo } from "./test-support/bare-gateway.ts"
import { type RawConnection, rawConnection, statusOf } from "./test-support/raw.ts"
import { startUpstream } from "./test-support/upstream-server.ts"

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const KEY = "dGhlIHNhbXBsZSBub25jZQ=="
const accept = createHash("sha1").update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
const UPGRADE = `GET /gateway/chat HTTP/1.1\r\nHost: g\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n`

/** Says what it hears, in capitals. */
async function echoing() {
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
  const gateway = await startGateway({ upstreams: [upstreamTo(upstream.url)] })
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
