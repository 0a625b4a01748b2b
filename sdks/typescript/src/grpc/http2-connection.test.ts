// The connection under the RPCs: what it does when the other end goes away, falls silent, or sends what it should not.
import { execFile } from "node:child_process"
import { once } from "node:events"
import { type ClientHttp2Session, constants } from "node:http2"
import { createServer, type Server, type Socket } from "node:net"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { EngineClient } from "../client/engine-client.ts"
import { BareHttp2Server } from "../test-support/bare-http2-server.ts"
import { failure } from "../test-support/failure.ts"
import { Http2Connection } from "./http2-connection.ts"
import { keepAlive } from "./protocol/keep-alive.ts"

let server: BareHttp2Server
let client: EngineClient
const ONCE = { maxAttempts: 1 }

beforeEach(async () => {
  server = await BareHttp2Server.start()
  client = new EngineClient({ url: server.url, workerId: "w" })
})
afterEach(() => {
  client.close()
  server.stop()
})

const complete = (options: object = ONCE) => client.complete("j", { leaseToken: "t" }, options)
describe("what the engine, or a proxy, answers", () => {
  test("a refusal without a message has its reason, percent signs decoded", async () => {
    server.onStream = (stream) =>
      stream.respond(
        {
          ":status": 200,
          "content-type": "application/grpc",
          "grpc-status": "5",
          "grpc-message": "no job %E2%80%9Cj%E2%80%9D",
        },
        { endStream: true },
      )
    expect(await failure(complete())).toMatchObject({ code: "not-found", status: 404, reason: "no job “j”" })
  })

  test("a proxy without an engine behind it is asked again", async () => {
    server.onStream = (stream) => {
      if (server.streams.length > 1) server.answer(stream)
      else stream.respond({ ":status": 503 }, { endStream: true })
    }
    await client.getInstance("i")
    expect(server.streams).toHaveLength(2)
  })

  test.each([
    ["compressed", Buffer.from([1, 0, 0, 0, 0])],
    ["larger than 4 MiB", Buffer.from([0, 0xff, 0, 0, 0])],
    ["not there", Buffer.alloc(0)],
    ["no message of ours", Buffer.from([0, 0, 0, 0, 1, 0xff])],
  ])("a message that is %s is malformed", async (_, message) => {
    server.onStream = (stream) => server.answer(stream, { message })
    expect(await failure(complete())).toMatchObject({ name: "TransportError", kind: "malformed" })
  })

  test("an answer without a status is a broken connection", async () => {
    server.onStream = (stream) => stream.close(constants.NGHTTP2_CANCEL)
    expect(await failure(complete())).toMatchObject({ name: "TransportError", kind: "interrupted" })
  })

  test("a call that the engine has not begun is sent again at once, whatever it is", async () => {
    server.onStream = (stream) => {
      if (server.streams.length > 1) server.answer(stream)
      else stream.close(constants.NGHTTP2_REFUSED_STREAM)
    }
    await complete({})
    expect(server.streams).toHaveLength(2)
  })
})

describe("the connection", () => {
  test("calls share one; after it is cut the next call opens another", async () => {
    await Promise.all([complete(), complete(), complete()])
    expect(server.sessions).toHaveLength(1)
    server.onStream = () => server.sessions[0]?.destroy()
    const cut = await failure(complete())
    expect(cut).toMatchObject({ kind: "interrupted" })
    expect(cut.message).not.toContain("It does not speak")
    server.onStream = (stream) => server.answer(stream)
    await complete()
    expect(server.sessions).toHaveLength(2)
  })

  test("an engine that says goodbye finishes its calls, and new ones go over a new connection", async () => {
    const began = new Promise<() => void>((resolve) => {
      server.onStream = (stream) => resolve(() => server.answer(stream))
    })
    const first = complete()
    const answer = await began
    server.onStream = (stream) => server.answer(stream)
    server.sessions[0]?.goaway()
    // The goodbye is on its way: until it has arrived calls still go over the first.
    const connections = () => complete().then(() => server.sessions.length)
    await expect.poll(connections).toBe(2)
    answer()
    await first
  })

  test("a stream that the engine has ended is over on both sides", async () => {
    // Not when its messages end: it has no last one.
    server.onStream = () => {}
    const ended = new Promise((resolve) => {
      void client.streamJobs({ jobTypes: ["a"], credit: 1 }, { jobs: () => {}, ended: resolve })
    })
    await expect.poll(() => server.streams.length).toBe(1)
    const [stream = expect.fail()] = server.streams
    const closed = once(stream, "close")
    server.answer(stream)
    expect(await ended).toBeUndefined()
    await closed
  })

  test("a call that is given up ends at the engine", async () => {
    const closed = new Promise((resolve) => {
      server.onStream = (stream) => stream.once("close", () => resolve(stream.rstCode))
    })
    const abort = new AbortController()
    const call = failure(client.getInstance("i", { signal: abort.signal }))
    await expect.poll(() => server.streams.length).toBe(1)
    abort.abort(new Error("enough"))
    expect(await call).toMatchObject({ message: "enough" })
    expect(await closed).toBe(constants.NGHTTP2_CANCEL)
  })

  test("a field that HTTP/2 cannot carry is the caller's error, and nothing is sent", async () => {
    const start = client.startInstance({ definitionId: "d" }, { idempotencyKey: "a\nb" })
    expect(await failure(start)).toMatchObject({
      name: "TypeError",
      message: expect.stringContaining("idempotency-key"),
    })
    expect(server.streams).toEqual([])
  })

  test("an idle connection does not keep a process alive", async () => {
    const sdk = new URL("../../dist/index.js", import.meta.url)
    const program = `import { EngineClient } from "${sdk}"
await new EngineClient({ url: "${server.url}", workerId: "w" }).complete("j", { leaseToken: "t" })
console.log("done")`
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program])
    expect(stdout.trim()).toBe("done")
  })
})

describe("a peer that is silent", () => {
  let silent: Server
  const sockets: Socket[] = []
  const start = async (onSocket: (socket: Socket) => void) => {
    silent = createServer((socket) => {
      sockets.push(socket.on("error", () => {}))
      onSocket(socket)
    }).listen(0, "127.0.0.1")
    await once(silent, "listening")
    const { port } = silent.address() as { port: number }
    return port
  }
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    silent.close()
  })

  test("before it has said a word: the deadline holds", async () => {
    const port = await start(() => {})
    const waiting = new EngineClient({ url: `grpc://127.0.0.1:${port}`, workerId: "w" })
    const late = await failure(waiting.getInstance("i", { timeoutMs: 50, maxAttempts: 1 }))
    waiting.close()
    expect(late).toMatchObject({ name: "TransportError", kind: "timeout" })
  })

  test("a client that is closed meanwhile lets go of it, and the call fails", async () => {
    const accepted = new Promise<Socket>((resolve) => {
      void start(resolve).then((port) => {
        waiting = new EngineClient({ url: `grpc://127.0.0.1:${port}`, workerId: "w" })
        call = failure(waiting.getInstance("i", ONCE))
      })
    })
    let waiting: EngineClient | undefined
    let call: Promise<Error> | undefined
    const left = once((await accepted).resume(), "close")
    waiting?.close()
    const closed = { kind: "unreachable", message: expect.stringContaining("the client was closed") }
    expect(await call).toMatchObject(closed)
    await left
  })

  test("afterwards: a ping without an answer ends the connection", async () => {
    const target = Number(new URL(server.url).port)
    let frozen = false
    const port = await start((socket) => {
      const onward = new (socket.constructor as typeof Socket)().connect(target, "127.0.0.1")
      sockets.push(onward.on("error", () => {}))
      socket.on("data", (bytes) => frozen || onward.write(bytes))
      onward.on("data", (bytes) => frozen || socket.write(bytes))
    })
    const connection = new Http2Connection(`http://127.0.0.1:${port}`)
    server.onStream = () => {}
    const stream = await connection.request({ ":method": "POST", ":path": "/" })
    const ended = new Promise((resolve) => stream.on("error", () => {}).once("close", resolve))
    frozen = true
    keepAlive(stream.session as ClientHttp2Session, () => true, { everyMs: 5, answerMs: 20 })
    await ended
    connection.close()
  })
})
