// Deliveries to a real server: taken, refused, silent, and never the URL in what is told.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { deliver } from "./webhook.ts"

let server: Server
let url = ""
let bodies: string[] = []
let answers: ((response: ServerResponse) => void)[] = []

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      bodies.push(`${request.method} ${request.headers["content-type"]} ${body}`)
      const answer = answers.shift() ?? ((r) => r.writeHead(204).end())
      answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=s3cret`
})
beforeEach(() => {
  bodies = []
  answers = []
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end("no")
const say = (more = {}) => deliver({ url, body: { n: 1 }, pausesMs: [0, 0], ...more })

test("what is taken is sent once, as JSON", async () => {
  expect(await say()).toBeUndefined()
  expect(bodies).toEqual(['POST application/json {"n":1}'])
})

test("B-16: three tries, then it is given up", async () => {
  answers = [status(500), status(503)]
  expect(await say()).toBeUndefined()
  expect(bodies).toHaveLength(3)
  answers = [status(500), status(500), status(418), status(200)]
  expect(await say()).toBe("answered 418")
  expect(bodies).toHaveLength(6)
})

test("a redirect is not followed", async () => {
  answers = [status(302, { location: "/elsewhere" })]
  expect(await say({ pausesMs: [] })).toBe("answered 302")
  expect(bodies).toHaveLength(1)
})

test("a server that does not answer, or is not there, is told apart without the URL", async () => {
  answers = [() => {}]
  expect(await say({ pausesMs: [], timeoutMs: 50 })).toBe("did not answer in time")
  const gone = await say({ pausesMs: [], url: "http://127.0.0.1:1/hook?token=s3cret" })
  expect(gone).toMatch(/^[A-Za-z ]+$/)
  expect(await say({ pausesMs: [], url: "not a url s3cret" })).not.toContain("s3cret")
})
