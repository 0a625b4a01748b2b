// A body that is too large is read on and thrown away, so that its caller gets the answer; never for long.
import { once } from "node:events"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { rawConnection } from "../test-support/raw-http.ts"
import { createTestServer, type TestServer, TIMEOUTS } from "../test-support/test-server.ts"

const MIB = 1_048_576
const REFUSED = /^HTTP\/1\.1 413 .*connection: close.*"error":"payload-too-large"/is

let engine: TestEngine
let server: TestServer

beforeAll(async () => {
  engine = await createTestEngine()
  server = await createTestServer({ engine })
})
afterAll(async () => {
  await server.close()
  await engine.close()
})

const head = (framing: string) =>
  `POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`
const sized = (bytes: number) => head(`Content-Length: ${bytes}`)
const CHUNKED = head("Transfer-Encoding: chunked")
const chunkOf = (bytes: number) => `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`

/** As many clients do it: looks at no answer before all of the request is written. */
async function writeThenRead(text: string): Promise<string> {
  const connection = await rawConnection(server.url)
  connection.socket.pause()
  const fault = await new Promise((written) => connection.socket.write(text, written))
  expect(fault ?? undefined).toBeUndefined()
  connection.socket.resume()
  return connection.closed()
}

test.each([
  ["of a length that it says", sized(8 * MIB) + "x".repeat(8 * MIB)],
  ["in chunks", `${CHUNKED}${chunkOf(MIB).repeat(8)}0\r\n\r\n`],
])("C-32: a caller that writes 8 MiB %s before it reads gets the refusal", async (_, request) => {
  expect(await writeThenRead(request)).toMatch(REFUSED)
})

test("F29: a body that is too large and comes slowly is cut off", async () => {
  const hasty = await createTestServer({ engine, timeouts: { ...TIMEOUTS, readMs: 300 } })
  const connection = await rawConnection(hasty.url)
  connection.write(`${sized(2 * MIB)}{`)
  expect(await connection.closed()).toMatch(/^HTTP\/1\.1 4\d\d .*connection: close/is)
  await hasty.close()
})

test("F29: a body without an end is cut off after 32 MiB", async () => {
  const { socket, closed, write } = await rawConnection(server.url)
  const gone = new AbortController()
  socket.once("close", () => gone.abort())
  write(CHUNKED)
  const chunk = chunkOf(MIB)
  let chunks = 0
  for (; !gone.signal.aborted; chunks++)
    if (!socket.write(chunk)) await once(socket, "drain", { signal: gone.signal }).catch(() => {})
  expect(await closed()).toMatch(REFUSED)
  expect(chunks).toBeGreaterThan(30)
  expect(chunks).toBeLessThan(64)
})

test("F29: of a body that says it is longer than that nothing is waited for", async () => {
  const connection = await rawConnection(server.url)
  connection.write(sized(1_000 * MIB))
  expect(await connection.closed()).toMatch(REFUSED)
})
