import { once } from "node:events"
import { request as httpRequest, type IncomingMessage } from "node:http"
import { afterEach, describe, expect, test } from "vitest"
import { type BareGateway, startGateway, upstreamTo } from "./test-support/bare-gateway.ts"
import { startUpstream, type UpstreamServer } from "./test-support/upstream-server.ts"
import type { Upstream } from "./upstream.ts"

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function behind(
  answer?: Parameters<typeof startUpstream>[0],
  more: Partial<Upstream> = {},
): Promise<{ upstream: UpstreamServer; gateway: BareGateway }> {
  const upstream = await startUpstream(answer)
  open.push(upstream)
  const gateway = await startGateway({ upstreams: [upstreamTo(upstream.url, more)] })
  open.push(gateway)
  return { upstream, gateway }
}

/** The head of the answer. */
async function ask(url: string, options: { method?: string; headers?: Record<string, string> } = {}, body?: Buffer) {
  const sent = httpRequest(url, options)
  sent.end(body)
  const [answer] = (await once(sent, "response")) as [IncomingMessage]
  // A connection that is reset later is told by the answer too.
  sent.on("error", () => {})
  return answer
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ""
  for await (const chunk of answer) text += chunk
  return text
}

describe("E-19: a request goes to the upstream, and its answer comes back", () => {
  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])(
    "%s with path, query and body",
    async (method) => {
      const { gateway, upstream } = await behind()
      const body = method === "GET" || method === "OPTIONS" ? undefined : Buffer.from("a body")
      const headers: Record<string, string> = body ? { "content-length": "6", "content-type": "text/x-own" } : {}
      const answer = await ask(`${gateway.url}/gateway/a%20b/c?d=e&f`, { method, headers }, body)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers["x-request-id"]).toBe("r-1")
      expect(JSON.parse(await textOf(answer))).toEqual({ method, url: "/a%20b/c?d=e&f", body: body ? "a body" : "" })
      expect(upstream.asked[0]?.headers).toMatchObject({
        host: new URL(upstream.url).host,
        "x-forwarded-for": "203.0.113.7",
        "x-request-id": "r-1",
        ...(body ? { "content-type": "text/x-own", "content-length": "6" } : {}),
      })
    },
  )

  test("GET /gateway/proxy asks for /proxy, and /gateway for /", async () => {
    const { gateway, upstream } = await behind()
    for (const path of ["/gateway/proxy", "/gateway", "/gateway/"]) await (await ask(gateway.url + path)).resume()
    expect(upstream.asked.map(({ url }) => url)).toEqual(["/proxy", "/", "/"])
  })

  test("a body of unknown length goes in chunks", async () => {
    const { gateway, upstream } = await behind()
    const sent = httpRequest(`${gateway.url}/gateway/x`, { method: "POST" })
    sent.write("one ")
    sent.end("two")
    const [answer] = (await once(sent, "response")) as [IncomingMessage]
    expect(JSON.parse(await textOf(answer)).body).toBe("one two")
    expect(upstream.asked[0]?.headers["transfer-encoding"]).toBe("chunked")
  })

  test.each([
    ["HEAD", 200, { "content-length": "11" }],
    ["GET", 204, {}],
    ["GET", 304, { etag: '"1"' }],
  ])("%s answered with %i has no body, and the connection goes on", async (method, status, headers) => {
    const { gateway } = await behind((_, response) => response.writeHead(status, headers).end())
    const answer = await ask(`${gateway.url}/gateway/x`, { method })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers).toMatchObject(headers)
    expect(await textOf(answer)).toBe("")
  })

  test("connections to the upstream are kept open and used again", async () => {
    const { gateway, upstream } = await behind()
    for (let n = 0; n < 5; n++) await textOf(await ask(`${gateway.url}/gateway/${n}`))
    expect(upstream.asked).toHaveLength(5)
    expect(upstream.connections()).toBe(1)
  })
})

/** More than the sockets between two processes hold. */
const PIECES = 1_000
const PIECE = Buffer.alloc(1 << 16)

/** Until nothing more is written: the value is the same at two looks. */
async function standstill(written: () => number): Promise<void> {
  let before = -1
  const isSame = () => {
    const same = before === written()
    before = written()
    return same
  }
  await expect.poll(isSame, { interval: 300 }).toBe(true)
}

describe("E-19: streams", () => {
  test("an answer is passed on piece by piece, its head before its body", async () => {
    const pieces: ((text: string) => void)[] = []
    const { gateway } = await behind((_, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).flushHeaders()
      pieces.push((text) => (text === "" ? response.end() : response.write(text)))
    })
    const answer = await ask(`${gateway.url}/gateway/x`)
    expect(answer.statusCode).toBe(200)
    const [say] = pieces as [(text: string) => void]
    say("one")
    expect(String((await once(answer, "data"))[0])).toBe("one")
    say("two")
    expect(String((await once(answer, "data"))[0])).toBe("two")
    say("")
    await once(answer, "end")
  })

  test("a body is passed on before it is whole", async () => {
    const heard: string[] = []
    const { gateway } = await behind((request, response) => {
      request.on("data", (chunk) => heard.push(String(chunk)))
      request.on("end", () => response.end("done"))
    })
    const sent = httpRequest(`${gateway.url}/gateway/x`, { method: "POST" })
    sent.write("one")
    await expect.poll(() => heard).toEqual(["one"])
    sent.end("two")
    expect(await textOf(((await once(sent, "response")) as [IncomingMessage])[0])).toBe("done")
    expect(heard.join("")).toBe("onetwo")
  })

  test("an upstream waits for a caller that does not read", async () => {
    let written = 0
    const { gateway } = await behind((_, response) => {
      const pour = (): void => {
        if (written === PIECES) return void response.end()
        written++
        response.write(PIECE, pour)
      }
      pour()
    })
    const answer = await ask(`${gateway.url}/gateway/x`)
    answer.pause()
    // The sockets between the two hold some mebibytes; all of it would be the gateway's memory.
    await standstill(() => written)
    expect(written).toBeLessThan(PIECES / 2)
    let read = 0
    for await (const chunk of answer) read += (chunk as Buffer).length
    expect(read).toBe(PIECES * PIECE.length)
  })

  test("a caller waits for an upstream that does not read", async () => {
    let upstreamRequest: IncomingMessage | undefined
    const { gateway } = await behind((request, response) => {
      upstreamRequest = request.pause()
      request.on("end", () => response.end("read"))
    })
    const sent = httpRequest(`${gateway.url}/gateway/x`, { method: "POST" })
    const answered = once(sent, "response")
    let written = 0
    const pour = (): void => {
      if (written === PIECES) return void sent.end()
      written++
      sent.write(PIECE, pour)
    }
    pour()
    await expect.poll(() => upstreamRequest).toBeDefined()
    await standstill(() => written)
    expect(written).toBeLessThan(PIECES / 2)
    upstreamRequest?.resume()
    expect(await textOf(((await answered) as [IncomingMessage])[0])).toBe("read")
  })

  test("a stream of events comes at once, and may be silent for longer than another answer", async () => {
    const says: (() => void)[] = []
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
      says.push(() => void response.write("data: 1\n\n"))
    })
    open.push(upstream)
    let ends = 0
    const timeouts = { connectMs: 60_000, headersMs: 60_000, idleMs: 30 }
    const gateway = await startGateway({
      upstreams: [upstreamTo(upstream.url, { timeouts })],
      onStream: () => ends++,
    })
    open.push(gateway)
    const answer = await ask(`${gateway.url}/gateway/events`)
    expect(answer.headers["content-type"]).toBe("text/event-stream")
    // Another answer that is silent as long is given up meanwhile.
    const plain = await startUpstream((_, response) => void response.writeHead(200).flushHeaders())
    open.push(plain)
    const other = await startGateway({ upstreams: [upstreamTo(plain.url, { timeouts })] })
    open.push(other)
    await expect(ask(`${other.url}/gateway/x`).then(textOf)).rejects.toThrow("aborted")
    says[0]?.()
    expect(String((await once(answer, "data"))[0])).toBe("data: 1\n\n")
    expect(ends).toBe(1)
    answer.destroy()
  })
})
