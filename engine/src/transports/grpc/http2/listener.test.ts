// Calls on real connections, as any client of gRPC may send them: deadlines, cancels, compressed and oversized messages, windows.
import { once } from "node:events"
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2"
import { deflateSync, gzipSync } from "node:zlib"
import { Code, codeName, FrameReader, frameOf } from "@millrace/sdk/grpc-protocol"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { EngineError } from "../../../support/errors.ts"
import { refusalStatus } from "../refusal-status.ts"
import { GrpcCall } from "./grpc-call.ts"
import { Listener } from "./listener.ts"
import { Room } from "./room.ts"

const MIB = 1_048_576

let listener: Listener
let session: ClientHttp2Session
/** What the server does with a call of `/test/Call`. */
let handle: (call: GrpcCall) => unknown
let faults: unknown[]
/** How long a caller is waited for; read when a call begins. */
let timeouts: { readMs: number; writeMs: number }
let room: Room

beforeEach(async () => {
  faults = []
  timeouts = { readMs: 60_000, writeMs: 60_000 }
  room = new Room(MIB)
  const byPath = new Map([["/test/Call", (call: GrpcCall) => refusing(call, async () => handle(call))]])
  const unknown = async (call: GrpcCall) => call.end(Code.UNIMPLEMENTED, "there is no such method")
  const onFault = (error: unknown) => faults.push(error)
  listener = new Listener({ byPath, unknown, onFault }, { timeouts, room })
  session = connect(`http://127.0.0.1:${await listener.listen(0, "127.0.0.1")}`)
})
afterEach(() => {
  session.destroy()
  listener.cut()
  void listener.drain()
})

/** Ends the call with what its handler refuses, as every handler of the server does. */
async function refusing(call: GrpcCall, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    if (!(thrown instanceof EngineError)) throw thrown
    const { code, details, trailers } = refusalStatus(thrown, "the-request")
    call.end(code, details, trailers)
  }
}

const request = (headers: object = {}): ClientHttp2Stream => {
  const kind = { ":method": "POST", ":path": "/test/Call", "content-type": "application/grpc", te: "trailers" }
  const stream = session.request({ ...kind, ...headers })
  stream.on("error", () => {})
  return stream
}

interface Ended {
  readonly status: string
  readonly message: string
  readonly head: IncomingHttpHeaders
  readonly trailers: IncomingHttpHeaders
  readonly answers: readonly string[]
}

/** How the call ended, by what came on its stream. */
async function ended(stream: ClientHttp2Stream): Promise<Ended> {
  const reader = new FrameReader()
  const answers: string[] = []
  let head: IncomingHttpHeaders = {}
  let trailers: IncomingHttpHeaders | undefined
  stream.on("response", (fields) => {
    head = fields
  })
  stream.on("trailers", (fields) => {
    trailers = fields
  })
  stream.on("data", (piece: Buffer) => {
    reader.push(piece)
    for (let next = reader.next(MIB); next; next = reader.next(MIB)) answers.push(String(next))
  })
  await once(stream, "end")
  const told = trailers ?? head
  const message = decodeURIComponent(String(told["grpc-message"] ?? ""))
  return { status: codeName(Number(told["grpc-status"] ?? 2)), message, head, trailers: told, answers }
}

/** Answers the first message with itself. */
const echo = async (call: GrpcCall) =>
  call.answer((await call.next()) ?? Buffer.from("nothing"), { "x-told": ["a", "b"] })

/** As many answers as it takes to open a window again and again, were it opened. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await ended(request({ ":path": "/test/Other" }))
}

const packed = (message: Buffer): Buffer => {
  const frame = frameOf(message)
  frame[0] = 1
  return frame
}

describe("one message and one answer", () => {
  test("the answer is followed by its status and by what is told", async () => {
    handle = echo
    const stream = request()
    stream.end(frameOf(Buffer.from("hello")))
    const { status, answers, head, trailers } = await ended(stream)
    expect({ status, answers }).toEqual({ status: "OK", answers: ["hello"] })
    expect(head).toMatchObject({ ":status": 200, "content-type": "application/grpc+proto" })
    expect(trailers["x-told"]).toBe("a, b")
  })

  test("a call is answered though its caller has not said its last word", async () => {
    handle = echo
    const stream = request()
    stream.write(frameOf(Buffer.from("hello")))
    expect(await ended(stream)).toMatchObject({ status: "OK", answers: ["hello"] })
  })

  test("a call without a message has none", async () => {
    handle = echo
    const stream = request()
    stream.end()
    expect(await ended(stream)).toMatchObject({ answers: ["nothing"] })
  })

  test("the words of a refusal come as they are, whatever they are", async () => {
    const words = "100 % “nothing”\n\ud800 é"
    handle = (call) => call.end(Code.NOT_FOUND, words)
    const { status, message } = await ended(request())
    expect({ status, message }).toEqual({ status: "NOT_FOUND", message: words.toWellFormed() })
  })

  test("the first end counts", async () => {
    handle = async (call) => {
      call.end(Code.NOT_FOUND)
      call.end(Code.INTERNAL)
      call.answer(Buffer.from("late"))
      await call.write(Buffer.from("later"))
    }
    expect(await ended(request())).toMatchObject({ status: "NOT_FOUND", answers: [] })
  })

  test.each([
    ["application/json", 415],
    ["application/grpc-web", 415],
    ["application/grpcs", 415],
    ["application/grpc+proto", 200],
    ["application/grpc;charset=utf-8", 200],
  ])("what is no gRPC is told so: %s is %i", async (type, status) => {
    handle = echo
    const stream = request({ "content-type": type })
    stream.end()
    const [head] = await once(stream, "response")
    expect(head[":status"]).toBe(status)
  })

  test("what a handler throws is INTERNAL, and not told", async () => {
    handle = () => {
      throw new Error("secret")
    }
    expect(await ended(request())).toMatchObject({ status: "INTERNAL", message: "internal error" })
    expect(faults).toEqual([new Error("secret")])
  })

  test("a path that is not known has a handler, too", async () => {
    expect(await ended(request({ ":path": "/test/Other" }))).toMatchObject({ status: "UNIMPLEMENTED" })
  })
})

describe("messages", () => {
  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
  ])("%s is unpacked", async (encoding, pack) => {
    handle = echo
    const stream = request({ "grpc-encoding": encoding })
    stream.end(packed(pack(Buffer.from("small"))))
    expect(await ended(stream)).toMatchObject({ status: "OK", answers: ["small"] })
  })

  test("an encoding that is not known is UNIMPLEMENTED, with those that are", async () => {
    handle = echo
    const stream = request({ "grpc-encoding": "snappy" })
    stream.end(packed(Buffer.from("small")))
    const { status, trailers } = await ended(stream)
    expect(status).toBe("UNIMPLEMENTED")
    expect(trailers["grpc-accept-encoding"]).toBe("identity,deflate,gzip")
  })

  test.each([
    ["that is compressed and does not say how", {}, packed(Buffer.from("x")), "INVALID_ARGUMENT"],
    ["that is no gzip", { "grpc-encoding": "gzip" }, packed(Buffer.from("x")), "INVALID_ARGUMENT"],
    [
      "that is too large when it is unpacked",
      { "grpc-encoding": "gzip" },
      packed(gzipSync(Buffer.alloc(7 * MIB))),
      "RESOURCE_EXHAUSTED",
    ],
    ["that says it is too large", {}, Buffer.from([0, 0x7f, 0, 0, 0]), "RESOURCE_EXHAUSTED"],
  ])("SEC-32: a message %s is refused to its handler, with details by which clients know why", async (...given) => {
    const [, headers, bytes, status] = given
    handle = (call) => call.next()
    const stream = request(headers)
    stream.write(bytes)
    expect(await ended(stream)).toMatchObject({ status, trailers: { "grpc-status-details-bin": expect.anything() } })
    expect(faults).toEqual([])
  })

  test("several in one piece come one by one, and then the end", async () => {
    const seen: string[] = []
    handle = async (call) => {
      for (let message = await call.next(); message; message = await call.next()) seen.push(String(message))
      call.end(Code.OK)
    }
    const stream = request()
    stream.end(Buffer.concat(["a", "b", "c"].map((text) => frameOf(Buffer.from(text)))))
    expect(await ended(stream)).toMatchObject({ status: "OK" })
    expect(seen).toEqual(["a", "b", "c"])
  })

  test.each([
    ["no message", () => {}],
    ["one message", (call: GrpcCall) => call.next()],
  ])("SEC-32: what is sent beyond the %s that is asked for is not taken in", async (_, asks) => {
    handle = asks
    const stream = request()
    const isWritten = vi.fn()
    for (let n = 0; n < 20; n++) stream.write(frameOf(Buffer.alloc(50_000)), n === 19 ? isWritten : undefined)
    await manyTurns()
    expect(isWritten).not.toHaveBeenCalled()
  })

  test("SEC-32: an answer waits until its caller reads", async () => {
    let written = 0
    handle = async (call) => {
      for (let n = 0; n < 100; n++) {
        await call.write(Buffer.alloc(40_000))
        written += 1
      }
      call.end(Code.OK)
    }
    const stream = request()
    await once(stream, "response")
    await manyTurns()
    expect(written).toBeLessThan(10)
    stream.resume()
    await once(stream, "end")
    expect(written).toBe(100)
  })
})

describe("SEC-32: what a caller may hold", () => {
  const closed = (stream: ClientHttp2Stream) =>
    stream.closed ? Promise.resolve() : new Promise<void>((resolve) => stream.once("close", () => resolve()))

  test.each([
    ["an answer", echo],
    ["a refusal", (call: GrpcCall) => call.end(Code.NOT_FOUND)],
    ["messages and their end", async (call: GrpcCall) => call.write(Buffer.from("one")).then(() => call.end(Code.OK))],
  ])("after %s its stream is closed, though its caller has not said its last word", async (_, ends) => {
    handle = ends
    const stream = request()
    stream.write(frameOf(Buffer.from("hello")))
    expect(await ended(stream)).not.toMatchObject({ status: "UNKNOWN" })
    await closed(stream)
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
  })

  test("a large answer is there whole before its stream is closed", async () => {
    handle = async (call) => call.answer((await call.next())!)
    const stream = request()
    stream.write(frameOf(Buffer.alloc(900_000, "x")))
    expect(await ended(stream)).toMatchObject({ status: "OK", answers: ["x".repeat(900_000)] })
    await closed(stream)
  })

  test("the only message of a call is waited for so long, and a begun one too", async () => {
    timeouts.readMs = 50
    handle = async (call) => expect(await call.only()).toBeUndefined()
    const silent = request()
    const slow = request()
    slow.write(frameOf(Buffer.from("hello")).subarray(0, 7))
    for (const { status, message } of await Promise.all([ended(silent), ended(slow)]))
      expect({ status, message }).toEqual({
        status: "DEADLINE_EXCEEDED",
        message: "the message did not arrive in time",
      })
    expect(faults).toEqual([])
  })

  test.each([
    ["an answer that its caller does not read", async (call: GrpcCall) => call.answer(Buffer.alloc(200_000))],
    [
      "a deadline behind messages that its caller does not read",
      (call: GrpcCall) => void call.write(Buffer.alloc(200_000)),
    ],
  ])("%s is kept for so long, and then its stream is reset", async (_, sends) => {
    timeouts.writeMs = 50
    handle = sends
    const stream = request({ "grpc-timeout": "50m" })
    stream.end()
    await once(stream, "response")
    stream.once("aborted", () => stream.resume())
    await closed(stream)
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
  })

  test("messages that arrive take room, and one for which there is none is refused; a small one never is", async () => {
    handle = async (call) => call.answer((await call.only()) ?? Buffer.from("none"))
    const frame = frameOf(Buffer.alloc(700_000))
    const slow = request()
    slow.write(frame.subarray(0, 1_000))
    await manyTurns()
    const second = request()
    second.end(frame)
    expect(await ended(second)).toMatchObject({ status: "RESOURCE_EXHAUSTED" })
    const small = request()
    small.end(frameOf(Buffer.from("small")))
    expect(await ended(small)).toMatchObject({ status: "OK" })
    // Both what has arrived and what never will give it back.
    slow.end(frame.subarray(1_000))
    expect(await ended(slow)).toMatchObject({ status: "OK" })
    const given = request()
    given.write(frame.subarray(0, 1_000))
    await manyTurns()
    given.close(constants.NGHTTP2_CANCEL)
    await manyTurns()
    const third = request()
    third.end(frame)
    expect(await ended(third)).toMatchObject({ status: "OK" })
  })

  test("a message larger than a handler asks for is refused, also when it is unpacked", async () => {
    handle = async (call) => call.answer((await call.only(100)) ?? Buffer.from("none"))
    const plain = request()
    plain.end(frameOf(Buffer.alloc(101)))
    const packing = request({ "grpc-encoding": "gzip" })
    packing.end(packed(gzipSync(Buffer.alloc(5_000))))
    for (const { status } of await Promise.all([ended(plain), ended(packing)]))
      expect(status).toBe("RESOURCE_EXHAUSTED")
  })

  test("a connection has at most a thousand calls at once; what its client sends beyond waits there", async () => {
    const waiting: GrpcCall[] = []
    handle = (call) => waiting.push(call)
    await once(session, "remoteSettings")
    const streams = Array.from({ length: 1_005 }, () => request())
    await expect.poll(() => waiting.length).toBe(1_000)
    const ends = streams.map(ended)
    for (const call of waiting) call.end(Code.OK)
    await expect.poll(() => waiting.length).toBe(1_005)
    for (const call of waiting) call.end(Code.OK)
    for (const { status } of await Promise.all(ends)) expect(status).toBe("OK")
  })
})

describe("ends that no handler makes", () => {
  const goneCode = () =>
    new Promise<string>((resolve) => {
      handle = (call) => call.onGone((code) => resolve(codeName(code)))
    })

  test("a deadline of 50 ms is DEADLINE_EXCEEDED", async () => {
    const gone = goneCode()
    expect(await ended(request({ "grpc-timeout": "50m" }))).toMatchObject({ status: "DEADLINE_EXCEEDED" })
    expect(await gone).toBe("DEADLINE_EXCEEDED")
  })

  test("a deadline passes behind messages that have been sent", async () => {
    handle = (call) => call.write(Buffer.from("first"))
    const { status, answers } = await ended(request({ "grpc-timeout": "50000u" }))
    expect({ status, answers }).toEqual({ status: "DEADLINE_EXCEEDED", answers: ["first"] })
  })

  test("a deadline that is no time is refused", async () => {
    const gone = goneCode()
    expect(await ended(request({ "grpc-timeout": "soon" }))).toMatchObject({ status: "INVALID_ARGUMENT" })
    expect(await gone).toBe("INVALID_ARGUMENT")
  })

  test("a call that its caller resets is CANCELLED", async () => {
    const gone = goneCode()
    const stream = request()
    stream.close(constants.NGHTTP2_CANCEL)
    expect(await gone).toBe("CANCELLED")
  })

  test("a call that was reset a moment ago, before its close is told, can be ended in any way", () => {
    const refuse = () => {
      throw new Error("the stream is closed")
    }
    const closed = { closed: true, headersSent: false, respond: refuse, write: vi.fn(), on: vi.fn(), resume: vi.fn() }
    const call = new GrpcCall(closed as never, {}, { timeouts, room })
    void call.write(Buffer.from("late"))
    call.end(Code.NOT_FOUND)
    expect(closed.write).not.toHaveBeenCalled()
  })

  test("a call whose connection breaks is CANCELLED, and who listens later is told at once", async () => {
    let call: GrpcCall | undefined
    const arrived = new Promise<void>((resolve) => {
      handle = (one) => {
        call = one
        resolve()
      }
    })
    request()
    await arrived
    const waiting = call!.next()
    session.destroy()
    expect(await waiting).toBeUndefined()
    const late = vi.fn()
    call!.onGone(late)
    expect(late).toHaveBeenCalledWith(Code.CANCELLED)
    call!.answer(Buffer.from("too late"))
  })
})

describe("the end of the server", () => {
  test("calls under way finish, and the connection is told to go away", async () => {
    let call: GrpcCall | undefined
    const arrived = new Promise<void>((resolve) => {
      handle = (one) => {
        call = one
        resolve()
      }
    })
    const stream = request()
    stream.end()
    await arrived
    const away = once(session, "goaway")
    const drained = listener.drain()
    await away
    call!.end(Code.OK)
    expect(await ended(stream)).toMatchObject({ status: "OK" })
    await drained
  })
})
