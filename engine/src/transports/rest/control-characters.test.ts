// No key, id or name that comes in may have control characters in it: every such field of the contract, in body, query and path.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { loadContract } from "./test-support/contract.ts"
import { everyRoute, pathFor } from "./test-support/every-route.ts"
import { RequestSchemas } from "./test-support/request-fields.ts"
import { createTestServer, type TestServer } from "./test-support/test-server.ts"

const CONTROLS = ["\n", "\r", "\t", "\u0001", "\u001b", "\u007f", "\u0085"]
/** What people and programs write, in as many lines as they like; and a token and a key, which are compared and never kept or shown. */
const FREE = new Set(["reason", "errorMessage", "stack", "leaseToken", "POST /v1/session $.key"])

const contract = loadContract()
const schemas = new RequestSchemas(contract.document)
let server: TestServer

beforeAll(async () => {
  server = await createTestServer({ metricsOnRest: true, guardEnv: {} })
})
afterAll(() => server.close())

const bodySchemaOf = (name: string) =>
  contract.operations.get(name)?.requestBody?.content["application/json"]?.schema as object | undefined

/** Paths of the strings in a sample body that stand for a text of the caller's own. */
function textsIn(value: unknown, at = "$"): readonly string[] {
  if (value === "x") return [at]
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, `${at}[${index}]`))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, `${at}.${name}`))
}

/** The body with another text in one place. */
function withText(value: unknown, path: string, text: string, at = "$"): unknown {
  if (at === path) return text
  if (Array.isArray(value)) return value.map((item, index) => withText(item, path, text, `${at}[${index}]`))
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, withText(inner, path, text, `${at}.${name}`)])
  return Object.fromEntries(entries)
}

const isFree = (name: string, path: string): boolean =>
  FREE.has(path.split(".").at(-1) as string) || FREE.has(`${name} ${path}`)

const bodies = everyRoute
  .map(({ method, path, bodyAsText }) => ({ name: `${method} ${path}`, bodyAsText }))
  .filter(({ name, bodyAsText }) => bodySchemaOf(name) && !bodyAsText && name !== "POST /v1/definitions")
  .flatMap(({ name }) =>
    schemas.samplesOf(bodySchemaOf(name)!).flatMap((sample) =>
      textsIn(sample)
        .filter((path) => !isFree(name, path))
        .map((path) => [name, path, sample] as const),
    ),
  )

const callOf = (name: string) => {
  const [method, path] = name.split(" ") as [string, string]
  return `${method} ${pathFor(path)}`
}

interface Told {
  readonly path: string
}

describe("SEC-33: in a body", () => {
  test("SEC-33: there are such fields", () => {
    const paths = bodies.map(([, path]) => path)
    expect(paths).toEqual(expect.arrayContaining(["$.key", "$.fair_key", "$.limit.key", "$.unique.key", "$.workerId"]))
    expect(paths).toEqual(expect.arrayContaining(["$.businessKey", "$.linkingId", "$.jobTypes[0]", "$.jobs[0].key"]))
  })

  test.each(bodies)("SEC-33: %s refuses control characters in %s", async (name, path, sample) => {
    for (const control of CONTROLS) {
      const reply = await server.call(callOf(name), { body: withText(sample, path, `a${control}b`) })
      expect([400, 422], reply.text).toContain(reply.status)
      const told = (reply.body.details as Told[]).map((violation) => violation.path)
      // A list of words is told of as a whole.
      expect(told).toContain(path.replace(/\[0\]$/, ""))
    }
  })
})

describe("SEC-33: in a query", () => {
  const queries = everyRoute
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => contract.operations.has(name))
    .flatMap((name) => contract.queryOf(name).map((parameter) => [name, parameter] as const))

  test.each(queries)("SEC-33: %s refuses control characters in %s", async (name, parameter) => {
    const headers = { "idempotency-key": "k" }
    const body = name.startsWith("POST") ? { body: {} } : {}
    for (const control of CONTROLS) {
      const call = `${callOf(name)}?${parameter}=${encodeURIComponent(`a${control}b`)}`
      const reply = await server.call(call, { headers, ...body })
      expect([400, 422], reply.text).toContain(reply.status)
    }
  })
})

describe("SEC-33: in a path", () => {
  const paths = everyRoute.filter(({ path, openEnded }) => path.includes("{") && !openEnded)

  test.each(paths.map(({ method, path }) => `${method} ${path}`))("SEC-33: %s", async (name) => {
    const [method, path] = name.split(" ") as [string, string]
    for (const hole of path.match(/\{\w+\}/g)!)
      for (const control of CONTROLS) {
        const call = `${method} ${pathFor(path.replace(hole, `a${encodeURIComponent(control)}b`))}`
        const { status, text } = await server.call(call, method === "GET" ? {} : { body: {} })
        expect([400, 404, 409, 422], text).toContain(status)
      }
  })
})

describe("SEC-33: in a definition", () => {
  const step = service("a", "end", { name: "A" })
  const whole = workflow("order", [step, end()])
  const odd = "a\nb"

  test.each([
    ["$.id", { ...whole, id: odd }],
    ["$.name", { ...whole, name: odd }],
    ["$.steps[0].id", { ...whole, steps: [{ ...step, id: odd }, end()] }],
    ["$.steps[0].name", { ...whole, steps: [{ ...step, name: odd }, end()] }],
    ["$.steps[0].jobType", { ...whole, steps: [{ ...step, jobType: odd }, end()] }],
  ])("SEC-33: %s", async (path, document) => {
    const reply = await server.call("POST /v1/definitions", { body: document })
    expect(reply.status).toBe(400)
    expect((reply.body.details as Told[]).map((violation) => violation.path)).toContain(path)
  })
})
