// What an operator reads when a call does not work out: one line that says what to do, and never the key.
import { createServer } from "node:http"
import { createServer as createHttp2Server } from "node:http2"
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net"
import { expect, test } from "vitest"
import { type Reply, startFakeEngine } from "./test-support/fake-engine.ts"
import { runCommand } from "./test-support/run-command.ts"
import { useTerminal } from "./test-support/use-terminal.ts"

const { engine } = useTerminal()

const KEY = "mill_k1_canary"
const weights = (reply: Reply, env: Record<string, string> = {}) => {
  engine.answers = { "GET /queues/weights": reply }
  return runCommand(["weights"], { env: { WE_URL: engine.url, ...env } })
}
const refusal = (status: number, error: string, message: string, more: object = {}): Reply => ({
  status,
  body: { error, message, requestId: "01REQ", ...more },
})

test("the key goes along as a bearer token, and nowhere else", async () => {
  const { code, out, err } = await weights(
    { body: { critical: 60, high: 30, normal: 10, source: "config" } },
    { WE_API_KEY: KEY },
  )
  expect(code).toBe(0)
  expect(engine.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(out + err).not.toContain("canary")
})

test.each<[string, Reply, Record<string, string>, RegExp]>([
  ["no key", refusal(401, "unauthenticated", "no"), {}, /^the engine at http\S+ asks for a key: set WE_API_KEY/],
  ["a wrong key", refusal(401, "unauthenticated", "no"), { WE_API_KEY: KEY }, /does not accept the key in WE_API_KEY/],
  [
    "an address that is blocked",
    refusal(403, "forbidden", "this request was refused: ask the operator"),
    {},
    /^this request was refused: .*`millrace guard unblock <address>` ends it$/,
  ],
  ["a key that may not", refusal(403, "forbidden", "it needs jobs:read"), {}, /^it needs jobs:read: use a key with/],
  ["nothing there", refusal(404, "not-found", "there is no job 7"), {}, /^there is no job 7$/],
  [
    "an answer to wait for",
    { ...refusal(503, "backpressure", "normal is full"), headers: { "retry-after": "5" } },
    {},
    /^normal is full; wait 5 s$/,
  ],
  ["a fault of ours", refusal(500, "internal-error", "sorry"), {}, /^sorry: a fault .* under request 01REQ$/],
  [
    "several things wrong",
    refusal(422, "unprocessable", "$.high must be a number", {
      details: [
        { path: "$.high", message: "must be a number", hint: "such as 30" },
        { path: "$.low", message: "is missing" },
      ],
    }),
    {},
    /^high must be a number\n {2}high must be a number \(such as 30\)\n {2}low is missing$/,
  ],
  [
    "one thing wrong",
    refusal(422, "unprocessable", "$ must add up to 100", {
      details: [{ path: "$", message: "must add up to 100", hint: "such as 60, 30 and 10" }],
    }),
    {},
    /^must add up to 100 \(such as 60, 30 and 10\)$/,
  ],
  [
    "one thing wrong that the message does not name",
    refusal(400, "bad-request", "what approved was told does not fit its schema", {
      details: [{ path: "$.ok", message: "must be boolean, not a string", hint: "send this type" }],
    }),
    {},
    /^what approved was told does not fit its schema\n {2}ok must be boolean, not a string \(send this type\)$/,
  ],
  ["another port of ours", refusal(404, "not-found", "there is no such route"), {}, /does WE_URL name its REST port/],
  ["another program", { status: 200, text: "<html>" }, {}, /^something answers at http\S+, but not as Millrace/],
  ["another API", { status: 404, body: { detail: "Not Found" } }, {}, /not as Millrace does \(status 404\)/],
  ["a redirect", { status: 302, headers: { location: "https://x/" } }, {}, /redirects to https:\/\/x\/: set WE_URL/],
  [
    "a message with tricks in it",
    refusal(400, "bad-request", "\u001b[2J\u009bm\u202e bad mill_k2_canary"),
    {},
    /^\\u001b\[2J\\u009bm\\u202e bad mill_k2_\*{4}$/,
  ],
])("%s: exit code 1 and words that help", async (_, reply, env, expected) => {
  const { code, out, err } = await weights(reply, env)
  expect({ code, out }).toEqual({ code: 1, out: "" })
  expect(err).toMatch(expected)
  expect(err).not.toContain("canary")
})

test("a redirect is not followed: the key stays with the engine", async () => {
  engine.answers = { "GET /queues/weights": { status: 307, headers: { location: `${engine.url}/elsewhere` } } }
  await runCommand(["weights"], { env: { WE_URL: engine.url, WE_API_KEY: KEY } })
  expect(engine.asked.map(({ route }) => route)).toEqual(["GET /queues/weights"])
})

test("an engine that is not there: where it was looked for, and how to start one", async () => {
  const gone = await startFakeEngine()
  await gone.close()
  const { code, err } = await runCommand(["weights"], { env: { WE_URL: gone.url } })
  expect(code).toBe(1)
  expect(err).toBe(
    `the engine is not reachable at ${gone.url} (ECONNREFUSED): is it running? \`millrace dev\` starts one here; WE_URL says where another is`,
  )
})

test("an engine without TLS at an https address: words about TLS", async () => {
  const { code, err } = await runCommand(["weights"], { env: { WE_URL: engine.url.replace("http:", "https:") } })
  expect(code).toBe(1)
  expect(err).toMatch(/^no TLS connection to https:\S+ \(EPROTO\): does it speak https/)
})

/** How a TLS server answers plain HTTP: handshake_failure. */
const TLS_ALERT = Uint8Array.of(0x15, 3, 1, 0, 2, 2, 40)

test.each<[string, Server, RegExp]>([
  ["a gRPC port", createHttp2Server(), /^http:\S+ is a gRPC port, .* REST port: set WE_URL to that \(.*8080 unless/],
  [
    "a port that speaks TLS",
    createTcpServer((socket) => socket.end(TLS_ALERT)),
    /^http:\/\/127\.0\.0\.1:(\d+) speaks TLS: set WE_URL to https:\/\/127\.0\.0\.1:\1$/,
  ],
  [
    "a port that speaks something else",
    createTcpServer((socket) => socket.end("220 mail\r\n")),
    /^something answers at http:\S+, but it does not speak HTTP: does WE_URL name the engine's REST port\?$/,
  ],
])("%s: which port is needed, and no word of trying again", async (_, server, expected) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, err } = await runCommand(["weights"], { env: { WE_URL: url } })
  server.close()
  expect(code).toBe(1)
  expect(err).toMatch(expected)
})

test("an answer that breaks off: it can be tried again", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-length": "100" })
    response.write("{", () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, err } = await runCommand(["weights"], { env: { WE_URL: url } })
  await new Promise((resolve) => server.close(resolve))
  expect(code).toBe(1)
  expect(err).toMatch(/^the connection to the engine at \S+ broke before its answer was complete.*: try again$/)
})

test.each(["", ".", ".."])("%j is no id: exit code 2, and nothing is sent", async (id) => {
  expect(await runCommand(["jobs", "show", id], { env: { WE_URL: engine.url } })).toMatchObject({
    code: 2,
    err: `"${id}" is not an id`,
  })
  expect(engine.asked).toEqual([])
})

test("an engine that is full is asked once: the operator decides whether to wait", async () => {
  await weights({ ...refusal(503, "backpressure", "normal is full"), headers: { "retry-after": "0" } })
  expect(engine.asked).toHaveLength(1)
})

test("without WE_URL it is this machine, on the port that WE_REST_PORT names", async () => {
  const { port } = new URL(engine.url)
  engine.answers = { "GET /queues/weights": { body: { critical: 60, high: 30, normal: 10, source: "config" } } }
  expect(await runCommand(["weights"], { env: { WE_REST_PORT: port } })).toMatchObject({ code: 0 })
})

test.each<[string, Record<string, string>, RegExp]>([
  ["no URL", { WE_URL: "localhost" }, /^WE_URL="localhost": must be a URL such as http/],
  ["another protocol", { WE_URL: "ftp://h" }, /^WE_URL="ftp:\/\/h": must be a URL/],
  ["a password in the URL", { WE_URL: "http://u:canary@h" }, /^WE_URL: holds a user or a password/],
  ["a key that is none", { WE_API_KEY: "canary\nx" }, /^WE_API_KEY holds characters that no key has/],
])("%s: exit code 2", async (_, env, expected) => {
  const { code, err } = await runCommand(["weights"], { env })
  expect(code).toBe(2)
  expect(err).toMatch(expected)
  expect(err).not.toContain("canary")
})
