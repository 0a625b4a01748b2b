// Errors over REST that say what to do: a wrong port, plaintext against TLS and the other way round, a wrong key, an old engine.

import { createServer as createHttp2Server } from "node:http2"
import type { AddressInfo } from "node:net"
import { createServer, type Server } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { afterEach, describe, expect, test } from "vitest"
import { ServerTooOldError, TransportError } from "../calls/errors.ts"
import { EngineClient } from "../client/engine-client.ts"
import type { EngineClientOptions } from "../client/engine-client-options.ts"
import { VERSION } from "../generated/version.ts"
import { useBench } from "../test-support/bench.ts"
import { refusal } from "../test-support/samples.ts"

const bench = useBench()
const servers: { close(): unknown }[] = []
const clients: EngineClient[] = []

afterEach(() => {
  for (const open of [...clients.splice(0), ...servers.splice(0)]) open.close()
})

const connect = (options: EngineClientOptions) => {
  const client = new EngineClient({ maxAttempts: 1, ...options })
  clients.push(client)
  return client
}

const failure = (options: EngineClientOptions): Promise<Error> =>
  connect(options)
    .getInstance("i")
    .then(
      () => expect.fail("the call should have failed"),
      (error: Error) => error,
    )

async function listen(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe("where nothing answers as an engine", () => {
  test("C-104: nothing listens: is the engine running, and is it the port", async () => {
    const server = createServer()
    const host = await listen(server)
    server.close()
    const error = await failure({ url: `http://${host}` })
    expect(error).toBeInstanceOf(TransportError)
    expect(error.message).toMatch(/Is the engine running, and is \d+ its REST port\? It is 8080/)
  })

  test("C-104: the gRPC port over REST: use grpc://", async () => {
    const host = await listen(createHttp2Server())
    expect((await failure({ url: `http://${host}` })).message).toContain(`It speaks gRPC: use grpc://${host}`)
  })

  test("C-104: plaintext against TLS: use https://", async () => {
    const host = await listen(createTlsServer())
    const { message } = await failure({ url: `http://${host}` })
    expect(message).toContain(`use https://${host}`)
  })

  test("C-104: TLS against plaintext: use http://", async () => {
    const host = new URL(bench.engine.url).host
    const { message } = await failure({ url: `https://${host}` })
    expect(message).toContain(`: It does not speak TLS: use http://${host} instead of https. OpenSSL says: `)
    expect(message).not.toContain("\n")
  })

  test("C-104: the port for metrics: is it the right address", async () => {
    const body = { error: "not-found", message: "there is no such route", requestId: "r" }
    bench.engine.on("/v1/*", () => ({ status: 404, body }))
    const error = await failure({ url: bench.engine.url })
    expect(error).toMatchObject({ code: "not-found", reason: "there is no such route" })
    expect(error.message).toMatch(
      /Is http:\S+ the right address, and the engine new enough\? An engine has REST on 8080/,
    )
  })

  test("C-104: another server's 404 is no answer of an engine", async () => {
    bench.engine.on("/v1/*", () => ({ status: 404, text: "<html>not here</html>" }))
    const { message } = await failure({ url: bench.engine.url })
    expect(message).toMatch(
      /no answer of an engine: is http:\S+ the right address\? An engine has REST on 8080, gRPC on 9090/,
    )
  })
})

describe("where the engine refuses", () => {
  test.each([
    ["no key", undefined, "Give the client an apiKey: `millrace keys create` makes one."],
    ["a wrong key", "mill_x", "Check the apiKey of the client: `millrace keys list`"],
  ])("C-104: %s: what to do about it", async (_, apiKey, advice) => {
    bench.engine.on("/v1/*", () => refusal(401, "unauthenticated"))
    const error = await failure({ url: bench.engine.url, apiKey })
    expect(error).toMatchObject({ code: "unauthenticated", status: 401 })
    expect(error.message).toContain(`because of unauthenticated. ${advice}`)
  })

  test("C-104: a key without the scope: use another", async () => {
    bench.engine.on("/v1/*", () => refusal(403, "forbidden"))
    expect((await failure({ url: bench.engine.url })).message).toContain("Use a key whose scopes cover this call")
  })

  test("C-111: an engine without the route is too old, and its version is told", async () => {
    const body = { error: "not-found", message: "there is no such route", requestId: "r" }
    bench.engine.on("/v1/*", () => ({ status: 404, headers: { "millrace-version": "0.0.9" }, body }))
    const error = await failure({ url: bench.engine.url })
    expect(error).toBeInstanceOf(ServerTooOldError)
    expect(error).toMatchObject({ code: "server-too-old", status: 404, serverVersion: "0.0.9" })
    expect(error.message).toBe(
      `the engine at ${bench.engine.url} is version 0.0.9 and does not know GET /v1/instances/i. ` +
        `Upgrade the engine to ${VERSION} or newer, the version of this SDK, or do without this call.`,
    )
  })

  test("C-104: what is not there is no matter of versions", async () => {
    bench.engine.on("/v1/*", () => refusal(404, "not-found", { "millrace-version": "0.0.9" }))
    expect(await failure({ url: bench.engine.url })).toMatchObject({
      code: "not-found",
      message: "because of not-found",
    })
  })
})

describe("what every request and answer carries", () => {
  test("C-104: the SDK tells its name and version", async () => {
    await bench.client.complete("j", { workerId: "w" })
    expect(bench.engine.received[0]?.headers["user-agent"]).toBe(`millrace-typescript/${VERSION}`)
  })

  test("W-06: the engine's warnings are logged", async () => {
    const warning = '299 - "unknown field \\"reson\\"; did you mean \\"reason\\"?", 299 - "second"'
    bench.engine.on("/v1/*", () => ({ headers: { warning }, body: { id: "i" } }))
    await connect({ url: bench.engine.url, logger: bench.logger }).getInstance("i")
    expect(bench.logger.lines).toMatchObject([
      { level: "warn", fields: { warning: 'unknown field "reson"; did you mean "reason"?' } },
      { level: "warn", fields: { warning: "second" } },
    ])
  })
})
